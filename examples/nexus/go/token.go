package main

import (
	"os"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"
)

// withToken sends the token of the endpoint with each operation.
type withToken struct {
	interceptor.WorkerInterceptorBase
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (*withToken) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &inbound{}
	i.Next = next
	return i
}

func (i *inbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &outbound{}
	o.Next = next
	return i.Next.Init(o)
}

func (o *outbound) ExecuteNexusOperation(ctx workflow.Context, in interceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	in.NexusHeader["burnish-token"] = os.Getenv("BURNISH_TOKEN")
	return o.Next.ExecuteNexusOperation(ctx, in)
}
