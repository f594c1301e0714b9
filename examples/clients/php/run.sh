# Needs openapi.json of your instance and photo.jpg in this folder, the variables BURNISH and KEY, PHP 8.1, Composer, Java and Maven.
set -eu
generator=org.openapitools:openapi-generator-cli:7.17.0
mvn --batch-mode --quiet dependency:copy -Dartifact=$generator -DoutputDirectory=.
java -jar openapi-generator-cli-7.17.0.jar generate --generator-name php --input-spec openapi.json --output client \
  --additional-properties invokerPackage=Burnish --global-property apiTests=false,modelTests=false,skipFormModel=false
composer install --quiet --no-dev --working-dir client
find client/lib -name '*.php' -exec php --syntax-check {} + > syntax.txt
php main.php
