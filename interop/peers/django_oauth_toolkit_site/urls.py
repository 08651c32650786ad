from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path
from oauth2_provider.urls import metadata_urlpatterns

urlpatterns = [
    path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="metadata")),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("login/", LoginView.as_view(template_name="admin/login.html")),
    path("admin/", admin.site.urls),
]
