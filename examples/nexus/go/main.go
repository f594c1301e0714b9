package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

type Source struct {
	URL string `json:"url"`
}

type EnhanceInput struct {
	Source       Source              `json:"source"`
	Enhancements []map[string]string `json:"enhancements"`
}

type Enhancement struct {
	ID      string `json:"id"`
	FullURL string `json:"fullUrl"`
}

func PublishPhoto(ctx workflow.Context, url string) (string, error) {
	burnish := workflow.NewNexusClient("shop", "burnish")
	input := EnhanceInput{Source{url}, []map[string]string{{"upscalingFactor": "X2"}}}
	options := workflow.NexusOperationOptions{ScheduleToCloseTimeout: 24 * time.Hour}
	var enhancement Enhancement
	err := burnish.ExecuteOperation(ctx, "enhance", input, options).Get(ctx, &enhancement)
	return enhancement.FullURL, err
}

func main() {
	address := os.Getenv("TEMPORAL_ADDRESS")
	if address == "" {
		address = "127.0.0.1:7233"
	}
	c, err := client.Dial(client.Options{HostPort: address, Namespace: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, "go-photos", worker.Options{Interceptors: []interceptor.WorkerInterceptor{&withToken{}}})
	w.RegisterWorkflow(PublishPhoto)
	if err := w.Start(); err != nil {
		log.Fatal(err)
	}
	defer w.Stop()
	started := client.StartWorkflowOptions{TaskQueue: "go-photos"}
	run, err := c.ExecuteWorkflow(context.Background(), started, PublishPhoto, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var url string
	if err := run.Get(context.Background(), &url); err != nil {
		log.Fatal(err)
	}
	fmt.Println(url)
}
