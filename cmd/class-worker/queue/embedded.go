package queue

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Embed starts a NATS server inside this process, on the loopback interface
// alone, that keeps its data in dir. The URL holds a token without which nobody
// is let in: a submission that runs on this machine must not reach the results.
func Embed(dir string) (url string, stop func(), err error) {
	token := rand.Text()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: token,
		JetStream: true, StoreDir: dir, MaxPayload: 8 << 20, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return "", nil, err
	}
	go s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(30 * time.Second) {
		stop()
		return "", nil, errors.New("the embedded NATS server does not start")
	}
	return fmt.Sprintf("nats://%s@%s", token, s.Addr()), stop, nil
}
