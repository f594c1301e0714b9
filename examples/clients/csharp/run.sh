# Needs openapi.json of your instance and photo.jpg in this folder, the variables BURNISH and KEY, .NET 8 or later, Java and Maven.
set -eu
generator=org.openapitools:openapi-generator-cli:7.17.0
mvn --batch-mode --quiet dependency:copy -Dartifact=$generator -DoutputDirectory=.
java -jar openapi-generator-cli-7.17.0.jar generate --generator-name csharp --library httpclient --input-spec openapi.json --output client \
  --additional-properties packageName=Burnish,targetFramework=netstandard2.0,nullableReferenceTypes=false \
  --global-property apiTests=false,modelTests=false,skipFormModel=false
dotnet run --project Example.csproj
