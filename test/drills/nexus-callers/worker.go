// A worker of the namespace `shop` with one workflow, which calls Burnish. It is built with token.go of the example.
package main

import (
	"log"
	"os"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

type Order struct {
	Source      map[string]string `json:"source"`
	Enhancement map[string]any    `json:"enhancement"`
}

type Enhancement struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

func EnhancePhoto(ctx workflow.Context, order Order) (Enhancement, error) {
	options := workflow.NexusOperationOptions{ScheduleToCloseTimeout: time.Hour}
	var enhancement Enhancement
	err := workflow.NewNexusClient("shop", "burnish").
		ExecuteOperation(ctx, "enhance", order, options).Get(ctx, &enhancement)
	return enhancement, err
}

func main() {
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), Namespace: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	w := worker.New(c, "go", worker.Options{Interceptors: []interceptor.WorkerInterceptor{&withToken{}}})
	w.RegisterWorkflow(EnhancePhoto)
	log.Fatal(w.Run(worker.InterruptCh()))
}
