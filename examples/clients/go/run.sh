# Needs openapi.json of your instance and photo.jpg in this folder, and the variables BURNISH and KEY.
set -eu
go mod init example
go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
mkdir burnish
go tool oapi-codegen -generate types,client,skip-prune -package burnish -o burnish/client.go openapi.json
go mod tidy
go run .
