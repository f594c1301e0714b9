package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"example/burnish"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("KEY"))
		return nil
	}
	client, err := burnish.NewClientWithResponses(os.Getenv("BURNISH"), burnish.WithRequestEditorFn(key))
	if err != nil {
		log.Fatal(err)
	}
	photo, err := os.Open("photo.jpg")
	if err != nil {
		log.Fatal(err)
	}
	enhancements, wait := `[{"upscalingFactor":"X2"}]`, "wait=30"
	params := &burnish.CreateUploadParams{Enhancements: &enhancements, Prefer: &wait}
	answer, err := client.CreateUploadWithBodyWithResponse(context.Background(), params, "application/octet-stream", photo)
	if err != nil {
		log.Fatal(err)
	}
	if answer.JSON200 == nil {
		log.Fatal(string(answer.Body))
	}
	fmt.Println(*answer.JSON200.Enhancements[0].FullUrl)
}
