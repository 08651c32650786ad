// The OpenID Provider of github.com/zitadel/oidc with the storage and pages of its own example, on loopback.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

func main() {
	issuer, callback, secret := os.Getenv("SITE_ISSUER"), os.Getenv("SITE_CALLBACK"), os.Getenv("SITE_SECRET")
	address, err := url.Parse(issuer)
	if err != nil {
		log.Fatal(err)
	}
	storage.RegisterClients(
		storage.NativeClient("native", callback),
		storage.WebClient("web", secret, callback),
		storage.DeviceClient("device", secret),
	)
	users := storage.NewUserStore(issuer)
	kept := site{storage.NewStorage(users), users, os.Getenv("SITE_GOODBYE")}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+address.Port(), exampleop.SetupServer(issuer, kept, logger, false)))
}

// site is the example's storage without two of its gaps.
type site struct {
	*storage.Storage
	users   storage.UserStore
	goodbye string
}

// The example's pages for devices tell the name of the person where a subject is wanted, and no such subject exists.
func (s site) CompleteDeviceAuthorization(ctx context.Context, userCode, name string) error {
	return s.Storage.CompleteDeviceAuthorization(ctx, userCode, s.users.GetUserByUsername(name).ID)
}

// The example's clients have nowhere to return to after a sign-out.
func (s site) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	found, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{found, s.goodbye}, nil
}

type client struct {
	op.Client
	goodbye string
}

func (c client) PostLogoutRedirectURIs() []string {
	return []string{c.goodbye}
}
