// go-oidc with golang.org/x/oauth2: a client that takes the steps that harness/conversation.py names.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type facts map[string]any

type plan struct{ Issuer, Client, Secret, Method, Callback string }

type journey struct {
	plan     plan
	context  context.Context
	provider *oidc.Provider
	config   oauth2.Config
	userInfo string
	code     string
	verifier string
	token    *oauth2.Token
	old      *oauth2.Token
}

var (
	input  = bufio.NewScanner(os.Stdin)
	output = json.NewEncoder(os.Stdout)
)

func main() {
	var told plan
	if err := json.Unmarshal([]byte(os.Getenv("INTEROP_PLAN")), &told); err != nil {
		panic(err)
	}
	j, err := begin(told)
	if err != nil {
		panic(err)
	}
	steps := map[string]func() (facts, error){
		"sign in":                       j.signIn,
		"read user info":                j.readUserInfo,
		"read user info after that":     j.userInfoStatus,
		"refresh":                       j.refresh,
		"present the old refresh token": j.presentOld,
		"refresh after that":            j.refreshAfterThat,
		"redeem the code again":         j.redeemAgain,
		"act for itself":                j.actForItself,
		"sign in on a device":           j.signInOnADevice,
	}
	for input.Scan() {
		var asked struct{ Step string }
		if err := json.Unmarshal(input.Bytes(), &asked); err != nil {
			panic(err)
		}
		found, err := steps[asked.Step]()
		if err != nil {
			output.Encode(facts{"error": err.Error()})
		} else {
			output.Encode(facts{"told": found})
		}
	}
}

// begin reads the issuer's metadata.
func begin(told plan) (*journey, error) {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, told.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		Device   string `json:"device_authorization_endpoint"`
		UserInfo string `json:"userinfo_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	endpoint.DeviceAuthURL = more.Device
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	if told.Method == "client_secret_basic" {
		endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	config := oauth2.Config{
		ClientID:     told.Client,
		ClientSecret: told.Secret,
		Endpoint:     endpoint,
		RedirectURL:  told.Callback,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	return &journey{plan: told, context: ctx, provider: provider, config: config, userInfo: more.UserInfo}, nil
}

// ask names an address to the harness and returns its answer.
func ask(name, address string) (facts, error) {
	output.Encode(facts{name: address})
	if !input.Scan() {
		return nil, errors.New("the harness has gone")
	}
	var answer facts
	return answer, json.Unmarshal(input.Bytes(), &answer)
}

func (j *journey) signIn() (facts, error) {
	j.verifier = oauth2.GenerateVerifier()
	state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	answer, err := ask("visit", j.config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(j.verifier)))
	if err != nil {
		return nil, err
	}
	redirect, err := url.Parse(fmt.Sprint(answer["redirect"]))
	if err != nil {
		return nil, err
	}
	if redirect.Query().Get("state") != state {
		return nil, errors.New("the redirect has another state")
	}
	j.code = redirect.Query().Get("code")
	j.token, err = j.redeem()
	if err != nil {
		return nil, err
	}
	identity, found, err := j.identity(j.token)
	if err != nil {
		return nil, err
	}
	found["answers"] = identity.Nonce == nonce
	found["hashed"] = identity.AccessTokenHash != "" && identity.VerifyAccessToken(j.token.AccessToken) == nil
	found["refreshable"] = j.token.RefreshToken != ""
	return found, nil
}

func (j *journey) redeem() (*oauth2.Token, error) {
	return j.config.Exchange(j.context, j.code, oauth2.VerifierOption(j.verifier))
}

// identity returns what an ID token says, once go-oidc has checked it.
func (j *journey) identity(token *oauth2.Token) (*oidc.IDToken, facts, error) {
	raw, _ := token.Extra("id_token").(string)
	verified, err := j.provider.Verifier(&oidc.Config{ClientID: j.plan.Client}).Verify(j.context, raw)
	if err != nil {
		return nil, nil, err
	}
	return verified, facts{"subject": verified.Subject}, nil
}

func (j *journey) readUserInfo() (facts, error) {
	told, err := j.provider.UserInfo(j.context, oauth2.StaticTokenSource(j.token))
	if err != nil {
		return nil, err
	}
	found := facts{}
	if err := told.Claims(&found); err != nil {
		return nil, err
	}
	found["status"] = 200
	return found, nil
}

func (j *journey) userInfoStatus() (facts, error) {
	answer, err := oauth2.NewClient(j.context, oauth2.StaticTokenSource(j.token)).Get(j.userInfo)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return facts{"status": answer.StatusCode}, nil
}

// renew has x/oauth2 find out by itself that a token has expired.
func (j *journey) renew(token *oauth2.Token) (*oauth2.Token, error) {
	expired := *token
	expired.Expiry = time.Now().Add(-time.Minute)
	return j.config.TokenSource(j.context, &expired).Token()
}

func (j *journey) refresh() (facts, error) {
	fresh, err := j.renew(j.token)
	if err != nil {
		return nil, err
	}
	_, found, err := j.identity(fresh)
	if err != nil {
		return nil, err
	}
	found["renewed"] = fresh.AccessToken != j.token.AccessToken
	found["rotated"] = fresh.RefreshToken != j.token.RefreshToken
	j.old, j.token = j.token, fresh
	return found, nil
}

func (j *journey) presentOld() (facts, error)       { return refusal(j.renew(j.old)) }
func (j *journey) refreshAfterThat() (facts, error) { return refusal(j.renew(j.token)) }
func (j *journey) redeemAgain() (facts, error)      { return refusal(j.redeem()) }

// refusal returns the code that the provider refuses a request with.
func refusal(_ *oauth2.Token, err error) (facts, error) {
	var refused *oauth2.RetrieveError
	if err == nil || errors.As(err, &refused) {
		code := ""
		if refused != nil {
			code = refused.ErrorCode
		}
		return facts{"error": code}, nil
	}
	return nil, err
}

func (j *journey) actForItself() (facts, error) {
	itself := clientcredentials.Config{
		ClientID:     j.plan.Client,
		ClientSecret: j.plan.Secret,
		TokenURL:     j.config.Endpoint.TokenURL,
		AuthStyle:    j.config.Endpoint.AuthStyle,
		Scopes:       []string{"api"},
	}
	token, err := itself.Token(j.context)
	if err != nil {
		return nil, err
	}
	return facts{"type": token.Type(), "refreshable": token.RefreshToken != ""}, nil
}

func (j *journey) signInOnADevice() (facts, error) {
	device := j.config
	device.Scopes = []string{oidc.ScopeOpenID, "profile"}
	offer, err := device.DeviceAuth(j.context)
	if err != nil {
		return nil, err
	}
	if _, err := ask("allow", offer.VerificationURIComplete); err != nil {
		return nil, err
	}
	token, err := device.DeviceAccessToken(j.context, offer)
	if err != nil {
		return nil, err
	}
	_, found, err := j.identity(token)
	return found, err
}
