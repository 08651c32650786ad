"""The portal of LemonLDAP::NG on loopback, with the users of its own demonstration and a configuration of the visit."""

import json
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, require
from harness.places import STATE
from harness.processes import must, run

ISSUER = "http://127.0.0.1:4600"
FOLDER = STATE / "peers" / "lemonldap-ng"
PACKAGED = Path("/var/lib/lemonldap-ng")
FILES = "Apache::Session::File"

APPLICATION = """
use Plack::Builder;
use Lemonldap::NG::Portal::Main;
my $portal = Lemonldap::NG::Portal::Main->run({});
my $static = "/usr/share/lemonldap-ng/portal/htdocs/static/";
builder { enable "Static", path => sub { s!^/static/!! }, root => $static; $portal };
"""
# The packaged one loads ImageMagick, also where no page has a captcha.
NO_CAPTCHA = """
package Interop::NoCaptcha;
use Mouse;
extends "Lemonldap::NG::Portal::Main::Plugin";
sub init { 1 }
1;
"""


def start(servers):
    shutil.rmtree(FOLDER, ignore_errors=True)
    for place in ("conf", "cache", "sessions/lock", "psessions/lock", "notifications", "lib/Interop"):
        (FOLDER / place).mkdir(parents=True)
    (FOLDER / "lib" / "Interop" / "NoCaptcha.pm").write_text(NO_CAPTCHA)
    (FOLDER / "app.psgi").write_text(APPLICATION)
    (FOLDER / "conf" / "lmConf-1.json").write_text(json.dumps(configuration()))
    usual = Path("/etc/lemonldap-ng/lemonldap-ng.ini").read_text()
    for name in ("conf", "cache"):
        usual = usual.replace(str(PACKAGED / name), str(FOLDER / name))
    (FOLDER / "lemonldap-ng.ini").write_text(usual)
    place = urlsplit(ISSUER)
    command = ["plackup", "-s", "HTTP::Server::PSGI", "-o", place.hostname, "-p", str(place.port), FOLDER / "app.psgi"]
    settings = {
        "LLNG_DEFAULTCONFFILE": str(FOLDER / "lemonldap-ng.ini"),
        "PLACK_ENV": "deployment",
        "PERL5LIB": str(FOLDER / "lib"),
    }
    servers.start("lemonldap-ng", command, ISSUER + "/.well-known/openid-configuration", extra=settings, cwd=FOLDER)


def end_sessions():
    """Removes the portal's sessions and all that was issued in them."""
    files = [file for file in (FOLDER / "sessions").iterdir() if file.is_file()]
    require(files, "the portal keeps no session")
    for file in files:
        file.unlink()


def name_of_client(identifier):
    """The name of a client in the newest configuration, or None; each registration writes another one."""
    newest = max((FOLDER / "conf").glob("lmConf-*.json"), key=lambda file: int(file.stem.rpartition("-")[2]))
    for client in json.loads(newest.read_text())["oidcRPMetaDataOptions"].values():
        if client["oidcRPMetaDataOptionsClientID"] == identifier:
            return client["oidcRPMetaDataOptionsDisplayName"]
    return None


def configuration():
    """The packaged configuration, with this visit's places and clients."""
    packaged = json.loads((PACKAGED / "conf" / "lmConf-1.json").read_text())
    return {**packaged, **places(), **without_ceremony(), **provider()}


def places():
    return {
        "portal": ISSUER + "/",
        "domain": urlsplit(ISSUER).hostname,
        "globalStorage": FILES,
        "globalStorageOptions": storage("sessions"),
        "persistentStorage": FILES,
        "persistentStorageOptions": storage("psessions"),
        "localSessionStorageOptions": {
            "cache_root": str(FOLDER / "cache"),
            "cache_depth": 3,
            "default_expires_in": 600,
            "directory_umask": "007",
            "namespace": "lemonldap-ng-sessions",
        },
        "notificationStorageOptions": {"dirName": str(FOLDER / "notifications")},
    }


def storage(name):
    return {
        "Directory": str(FOLDER / name),
        "LockDirectory": str(FOLDER / name / "lock"),
        "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256",
    }


def without_ceremony():
    """A portal without what has nothing to do with OpenID Connect."""
    return {
        "captcha": "Interop::NoCaptcha",
        "captcha_register_enabled": 0,
        "captcha_mail_enabled": 0,
        "captcha_login_enabled": 0,
        "portalDisplayRegister": 0,
        "portalDisplayResetPassword": 0,
        "loginHistoryEnabled": 0,
        "notification": 0,
        "upgradeSession": 0,
    }


def provider():
    key = FOLDER / "key.pem"
    must(run(["openssl", "genrsa", "-traditional", "-out", key, "2048"], timeout=30), "openssl genrsa")
    public = run(["openssl", "rsa", "-in", key, "-pubout"], timeout=30)
    must(public, "openssl rsa")
    return {
        "issuerDBOpenIDConnectActivation": 1,
        "issuerDBOpenIDConnectPath": "^/oauth2/",
        "issuerDBOpenIDConnectRule": 1,
        "oidcServiceMetaDataIssuer": ISSUER,
        "oidcServiceAllowAuthorizationCodeFlow": 1,
        "oidcServiceAllowImplicitFlow": 0,
        "oidcServiceAllowHybridFlow": 0,
        "oidcServiceAllowDynamicRegistration": 1,
        "oidcServiceDynamicRegistrationExportedVars": CLAIMS,
        "oidcServiceKeyIdSig": "interop",
        "oidcServicePrivateKeySig": key.read_text(),
        "oidcServicePublicKeySig": public.stdout,
        "oidcRPMetaDataExportedVars": {client.id: CLAIMS for client in (NATIVE, WEB)},
        "oidcRPMetaDataOptions": {
            NATIVE.id: options(NATIVE, Public=1, RequirePKCE=1),
            WEB.id: options(
                WEB,
                ClientSecret=WEB.secret,
                BypassConsent=1,
                UserInfoSignAlg="RS256",
                AccessTokenJWT=1,
                AccessTokenSignAlg="RS256",
            ),
        },
    }


CLAIMS = {"name": "cn", "email": "mail", "preferred_username": "uid"}


def options(client, **more):
    """What LemonLDAP::NG knows about a client, under its names."""
    usual = {
        "ClientID": client.id,
        "DisplayName": client.id,
        "IDTokenSignAlg": "RS256",
        "RefreshToken": 1,
        "AllowOffline": 1,
        "UserIDAttr": "uid",
        "RedirectUris": CALLBACK,
        "PostLogoutRedirectUris": GOODBYE,
        "LogoutBypassConfirm": 1,
    }
    return {"oidcRPMetaDataOptions" + name: value for name, value in {**usual, **more}.items()}
