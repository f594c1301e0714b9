# Needs openapi.json of your instance and photo.jpg in this folder, the variables BURNISH and KEY, Java 11 and Maven.
set -eu
generator=org.openapitools:openapi-generator-cli:7.17.0
mvn --batch-mode --quiet dependency:copy -Dartifact=$generator -DoutputDirectory=.
java -jar openapi-generator-cli-7.17.0.jar generate --generator-name java --library native --input-spec openapi.json --output client \
  --additional-properties invokerPackage=burnish,apiPackage=burnish.api,modelPackage=burnish.model,openApiNullable=false,useJakartaEe=true \
  --global-property apiTests=false,modelTests=false,skipFormModel=false
cp Main.java client/src/main/java
mvn --batch-mode --quiet --file client compile org.codehaus.mojo:exec-maven-plugin:3.6.2:java -Dexec.mainClass=Main
