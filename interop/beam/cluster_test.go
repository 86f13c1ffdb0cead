package bloombeam

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

// A bundle of the runner is cut into this many pieces, if it has as many elements, and each piece
// is tried this many times.
const pieces, attempts = 3, 6

// cluster turns the local runner of the SDK into a cluster. The local runner has one worker, makes
// one bundle of all the input of a stage, and ends a job with the first bundle that fails. The
// cluster is this worker. It cuts a bundle into pieces, as other runners make bundles, and gives
// one piece after another to its processes. It keeps the output of a piece until the piece has
// succeeded. A piece that failed, or whose process died, goes to the next process.
type cluster struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	fnpb.UnimplementedBeamFnControlServer
	fnpb.UnimplementedBeamFnDataServer
	fnpb.UnimplementedBeamFnLoggingServer

	t       *testing.T
	address string

	// The runner's side.
	connection *grpc.ClientConn
	ctx        context.Context // with the runner's name of the worker
	control    fnpb.BeamFnControl_ControlClient
	data       fnpb.BeamFnData_DataClient

	mu       sync.Mutex
	stopped  bool
	members  []*member
	next     int                // the member that gets the next piece
	bundles  map[string]*bundle // by the runner's name
	running  map[string]*piece  // by the name of the attempt
	log      bytes.Buffer       // the log of workers, with their instructions
	failures []string           // the errors of pieces
	deaths   int
	finished map[*member]int  // numbers of pieces
	counters map[string]int64 // of pieces that succeeded
}

// member is a worker process.
type member struct {
	id      string
	command *osexec.Cmd
	control chan *fnpb.InstructionRequest
	data    chan *fnpb.Elements
	dead    bool
}

// bundle is a bundle of the runner.
type bundle struct {
	id     string
	stage  string // "" until the request has come
	source string // the transform that gets the input
	input  []byte
	whole  bool // the input
	pieces []*piece
}

// piece is a part of the input of a bundle, with the output of its last attempt.
type piece struct {
	bundle  *bundle
	input   []byte
	attempt string
	tried   int
	member  *member
	output  map[string][]byte // by transform
	open    int               // transforms whose output has not ended
	result  *fnpb.ProcessBundleResponse
}

// newCluster starts a cluster. Its processes start with a job.
func newCluster(t *testing.T, workers int) *cluster {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, address: listener.Addr().String(), bundles: map[string]*bundle{},
		running: map[string]*piece{}, finished: map[*member]int{}, counters: map[string]int64{}}
	for i := range workers {
		c.members = append(c.members, &member{id: fmt.Sprintf("member-%d", i),
			control: make(chan *fnpb.InstructionRequest, 1<<16),
			data:    make(chan *fnpb.Elements, 1<<16)})
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(1 << 30))
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, c)
	fnpb.RegisterBeamFnControlServer(server, c)
	fnpb.RegisterBeamFnDataServer(server, c)
	fnpb.RegisterBeamFnLoggingServer(server, c)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { c.stop(); server.Stop() })
	return c
}

// StartWorker connects to the runner as its worker, and starts the processes.
func (c *cluster) StartWorker(
	_ context.Context,
	request *fnpb.StartWorkerRequest,
) (*fnpb.StartWorkerResponse, error) {
	var err error
	c.connection, err = grpc.NewClient(request.GetControlEndpoint().GetUrl(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		return nil, err
	}
	c.ctx = grpcx.WriteWorkerID(context.Background(), request.GetWorkerId())
	if c.control, err = fnpb.NewBeamFnControlClient(c.connection).Control(c.ctx); err != nil {
		return nil, err
	}
	if c.data, err = fnpb.NewBeamFnDataClient(c.connection).Data(c.ctx); err != nil {
		return nil, err
	}
	for _, m := range c.members {
		m.command = osexec.Command(os.Args[0], "--worker", "--id="+m.id,
			"--control_endpoint="+c.address, "--logging_endpoint="+c.address)
		m.command.Stdout, m.command.Stderr = logger{c}, logger{c}
		if err := m.command.Start(); err != nil {
			return nil, err
		}
		fmt.Fprintln(logger{c}, m.command.Args, m.command.Environ())
	}
	go c.receiveInstructions()
	go c.receiveInput()
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker ends the processes.
func (c *cluster) StopWorker(
	context.Context,
	*fnpb.StopWorkerRequest,
) (*fnpb.StopWorkerResponse, error) {
	c.stop()
	return &fnpb.StopWorkerResponse{}, nil
}

func (c *cluster) stop() {
	c.mu.Lock()
	first := !c.stopped
	c.stopped = true
	c.mu.Unlock()
	if !first {
		return
	}
	for _, m := range c.members {
		if m.command != nil && m.command.Process != nil {
			_ = m.command.Process.Kill()
			_ = m.command.Wait()
		}
	}
	if c.connection != nil {
		_ = c.connection.Close()
	}
}

// logger is a writer to the log of the cluster.
type logger struct{ *cluster }

func (l logger) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(b)
}

// receiveInstructions answers the runner. It refuses requests for progress, so that the runner does
// not ask for splits.
func (c *cluster) receiveInstructions() {
	for {
		request, err := c.control.Recv()
		if err != nil {
			return
		}
		c.mu.Lock()
		if of := request.GetProcessBundle(); of != nil {
			b := c.bundle(request.GetInstructionId())
			b.stage = of.GetProcessBundleDescriptorId()
			c.cut(b)
		} else {
			c.respond(&fnpb.InstructionResponse{InstructionId: request.GetInstructionId(),
				Error: "a cluster only processes bundles"})
		}
		c.mu.Unlock()
	}
}

// receiveInput keeps the elements of bundles.
func (c *cluster) receiveInput() {
	for {
		elements, err := c.data.Recv()
		if err != nil {
			return
		}
		c.mu.Lock()
		for _, d := range elements.GetData() {
			b := c.bundle(d.GetInstructionId())
			b.source, b.input, b.whole = d.GetTransformId(),
				append(b.input, d.GetData()...), d.GetIsLast()
			c.cut(b)
		}
		c.mu.Unlock()
	}
}

func (c *cluster) bundle(id string) *bundle {
	b := c.bundles[id]
	if b == nil {
		b = &bundle{id: id}
		c.bundles[id] = b
	}
	return b
}

// cut cuts a complete bundle into pieces, and starts their processing.
func (c *cluster) cut(b *bundle) {
	if b.stage == "" || !b.whole {
		return
	}
	descriptor, err := c.descriptor(b.stage)
	if err != nil {
		c.t.Error(err)
		return
	}
	ends, err := elements(descriptor, b.source, b.input)
	if err != nil {
		c.t.Error(err)
		return
	}
	first := 0
	for i := range min(pieces, len(ends)) {
		end := ends[(i+1)*len(ends)/min(pieces, len(ends))-1]
		b.pieces = append(b.pieces, &piece{bundle: b, input: b.input[first:end]})
		first = end
	}
	for _, p := range b.pieces {
		c.try(p)
	}
}

// elements returns the offsets at which the elements of a bundle's input end.
func elements(
	descriptor *fnpb.ProcessBundleDescriptor,
	source string,
	input []byte,
) (ends []int, err error) {
	var port fnpb.RemoteGrpcPort
	if err := proto.Unmarshal(descriptor.GetTransforms()[source].GetSpec().GetPayload(),
		&port); err != nil {
		return nil, err
	}
	w, err := graphx.NewCoderUnmarshaller(descriptor.GetCoders()).Coder(port.GetCoderId())
	if err != nil {
		return nil, err
	}
	window, element := exec.MakeWindowDecoder(w.Window), coder.SkipW(w)
	for r := bytes.NewReader(input); r.Len() > 0; ends = append(ends, len(input)-r.Len()) {
		if _, _, _, err := exec.DecodeWindowedValueHeader(window, r); err != nil {
			return nil, err
		}
		if !coder.IsCoGBK(element) {
			if _, err := exec.MakeElementDecoder(element).Decode(r); err != nil {
				return nil, err
			}
			continue
		}
		if _, err := exec.MakeElementDecoder(element.Components[0]).Decode(r); err != nil {
			return nil, err
		}
		var values int32
		if err := binary.Read(r, binary.BigEndian, &values); err != nil {
			return nil, err
		}
		for range values {
			if _, err := exec.MakeElementDecoder(element.Components[1]).Decode(r); err != nil {
				return nil, err
			}
		}
	}
	return ends, nil
}

// try gives a piece to the next living member.
func (c *cluster) try(p *piece) {
	delete(c.running, p.attempt)
	p.member, p.output, p.result = nil, map[string][]byte{}, nil
	for range c.members {
		m := c.members[c.next%len(c.members)]
		c.next++
		if !m.dead {
			p.member = m
			break
		}
	}
	if p.tried++; p.tried > attempts || p.member == nil {
		c.respond(&fnpb.InstructionResponse{InstructionId: p.bundle.id,
			Error: strings.Join(c.failures, "; ")})
		return
	}
	descriptor, err := c.descriptor(p.bundle.stage)
	if err != nil {
		c.t.Error(err)
		return
	}
	p.open = 0
	for _, transform := range descriptor.GetTransforms() {
		if transform.GetSpec().GetUrn() == sinkURN {
			p.open++
		}
	}
	p.attempt = fmt.Sprintf("%s-piece-%d-attempt-%d", p.bundle.id,
		slices.Index(p.bundle.pieces, p), p.tried)
	c.running[p.attempt] = p
	p.member.control <- &fnpb.InstructionRequest{InstructionId: p.attempt,
		Request: &fnpb.InstructionRequest_ProcessBundle{
			ProcessBundle: &fnpb.ProcessBundleRequest{ProcessBundleDescriptorId: p.bundle.stage}}}
	p.member.data <- &fnpb.Elements{Data: []*fnpb.Elements_Data{{InstructionId: p.attempt,
		TransformId: p.bundle.source, Data: p.input}}}
	p.member.data <- &fnpb.Elements{Data: []*fnpb.Elements_Data{{InstructionId: p.attempt,
		TransformId: p.bundle.source, IsLast: true}}}
}

func (c *cluster) respond(response *fnpb.InstructionResponse) {
	if err := c.control.Send(response); err != nil && !c.stopped {
		c.t.Error(err)
	}
}

func (c *cluster) member(ctx context.Context) (*member, error) {
	id, err := grpcx.ReadWorkerID(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.members, func(m *member) bool { return m.id == id })
	if i < 0 {
		return nil, errors.New("no member " + id)
	}
	return c.members[i], nil
}

// Control gives a member its bundles and takes their results.
func (c *cluster) Control(stream fnpb.BeamFnControl_ControlServer) error {
	m, err := c.member(stream.Context())
	if err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-stream.Context().Done():
				return
			case request := <-m.control:
				_ = stream.Send(request)
			}
		}
	}()
	for {
		response, err := stream.Recv()
		c.mu.Lock()
		if err != nil {
			if !c.stopped {
				m.dead = true
				c.deaths++
				for _, p := range c.running {
					if p.member == m && !p.done() {
						c.failures = append(c.failures, "the process of "+p.attempt+" died")
						c.try(p)
					}
				}
			}
			c.mu.Unlock()
			return nil
		}
		if p := c.running[response.GetInstructionId()]; p != nil {
			if failure := response.GetError(); failure != "" {
				c.failures = append(c.failures, failure)
				c.try(p)
			} else {
				p.result = response.GetProcessBundle()
				c.commit(p)
			}
		}
		c.mu.Unlock()
	}
}

// done reports whether all output of a piece has arrived.
func (p *piece) done() bool { return p.result != nil && p.open == 0 }

// commit ends a piece that is done. With the last piece it ends the bundle, and sends its output to
// the runner.
func (c *cluster) commit(p *piece) {
	if !p.done() {
		return
	}
	c.finished[p.member]++
	for _, info := range p.result.GetMonitoringInfos() {
		if info.GetUrn() == "beam:metric:user:sum_int64:v1" &&
			info.GetLabels()["NAMESPACE"] == "bloomlane" {
			c.counters[info.GetLabels()["NAME"]] += varint(info.GetPayload())
		}
	}
	result := &fnpb.ProcessBundleResponse{}
	output := map[string][]byte{}
	for _, q := range p.bundle.pieces {
		if !q.done() {
			return
		}
		result.ResidualRoots = append(result.ResidualRoots, q.result.GetResidualRoots()...)
		for transform, data := range q.output {
			output[transform] = append(output[transform], data...)
		}
	}
	for transform, data := range output {
		if err := c.data.Send(&fnpb.Elements{Data: []*fnpb.Elements_Data{
			{InstructionId: p.bundle.id, TransformId: transform, Data: data},
			{InstructionId: p.bundle.id, TransformId: transform, IsLast: true},
		}}); err != nil {
			c.t.Error(err)
		}
	}
	c.respond(&fnpb.InstructionResponse{InstructionId: p.bundle.id,
		Response: &fnpb.InstructionResponse_ProcessBundle{ProcessBundle: result}})
}

func varint(payload []byte) int64 {
	n := int64(0)
	for i, b := range payload {
		n |= int64(b&0x7f) << (7 * i)
	}
	return n
}

// Data gives a member the elements of its bundles, and keeps its output until the bundle has
// succeeded.
func (c *cluster) Data(stream fnpb.BeamFnData_DataServer) error {
	m, err := c.member(stream.Context())
	if err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-stream.Context().Done():
				return
			case elements := <-m.data:
				_ = stream.Send(elements)
			}
		}
	}()
	for {
		elements, err := stream.Recv()
		if err != nil {
			return nil
		}
		c.mu.Lock()
		for _, d := range elements.GetData() {
			if p := c.running[d.GetInstructionId()]; p != nil { // skips output of a failed attempt
				p.output[d.GetTransformId()] = append(p.output[d.GetTransformId()], d.GetData()...)
				if d.GetIsLast() {
					p.open--
					c.commit(p)
				}
			}
		}
		c.mu.Unlock()
	}
}

const sourceURN, sinkURN = "beam:runner:source:v1", "beam:runner:sink:v1"

// descriptor returns the runner's description of a stage.
func (c *cluster) descriptor(stage string) (*fnpb.ProcessBundleDescriptor, error) {
	return fnpb.NewBeamFnControlClient(c.connection).GetProcessBundleDescriptor(c.ctx,
		&fnpb.GetProcessBundleDescriptorRequest{ProcessBundleDescriptorId: stage})
}

// GetProcessBundleDescriptor returns the descriptor of the runner, with the address of the cluster
// in place of the runner's.
func (c *cluster) GetProcessBundleDescriptor(
	_ context.Context,
	request *fnpb.GetProcessBundleDescriptorRequest,
) (*fnpb.ProcessBundleDescriptor, error) {
	descriptor, err := c.descriptor(request.GetProcessBundleDescriptorId())
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(logger{c}, descriptor)
	for _, transform := range descriptor.GetTransforms() {
		if urn := transform.GetSpec().GetUrn(); urn == sourceURN || urn == sinkURN {
			var port fnpb.RemoteGrpcPort
			if err := proto.Unmarshal(transform.Spec.Payload, &port); err != nil {
				return nil, err
			}
			port.ApiServiceDescriptor = &pipepb.ApiServiceDescriptor{Url: c.address}
			if transform.Spec.Payload, err = proto.Marshal(&port); err != nil {
				return nil, err
			}
		}
	}
	descriptor.StateApiServiceDescriptor = &pipepb.ApiServiceDescriptor{Url: c.address}
	return descriptor, nil
}

// Logging keeps the logs of the members.
func (c *cluster) Logging(stream fnpb.BeamFnLogging_LoggingServer) error {
	for {
		list, err := stream.Recv()
		if err != nil {
			return nil
		}
		fmt.Fprintln(logger{c}, list)
	}
}
