import json

import registration  # noqa: F401
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.http import JsonResponse
from django.urls import include, path
from oauth2_provider.urls import metadata_urlpatterns
from oauth2_provider.views import OAuthServerMetadataView
from oauth2_provider.views.generic import ProtectedResourceMetadataView


class Resource(ProtectedResourceMetadataView):
    """What a token is for; without one, the answer says where the resource's metadata is."""

    def get(self, request):
        return JsonResponse({"person": request.resource_owner.username})


class Metadata(OAuthServerMetadataView):
    """Names the endpoint of the device grant, too: it stands in neither of the two documents."""

    def get(self, request, **_):
        document = json.loads(super().get(request).content)
        return JsonResponse({
            **document,
            "device_authorization_endpoint": self._get_endpoint_url(request, "device-authorization"),
        })


urlpatterns = [
    path(".well-known/oauth-authorization-server/o", Metadata.as_view()),
    path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="metadata")),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("login/", LoginView.as_view(template_name="admin/login.html")),
    path("admin/", admin.site.urls),
    path("api", Resource.as_view()),
]
