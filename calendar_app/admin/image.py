from django.contrib.admin import register
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseNotAllowed, JsonResponse
from django.urls import path
from django.utils.html import format_html

from ..models import Image
from ..services import images
from ..services.revision import writing
from .forms.image import ImageForm
from .history.log import Logged
from .history.views import Acting
from .look import ModelAdmin, display
from .shared.columns import ApiLink, Thumbnail
from .shared.filters import DayRangeFilter
from .transfer import ImageExports

DETAILS = ["dimensions", "kilobytes", "author", "created", "api_link"]


@register(Image)
class ImageAdmin(Acting, Logged, ApiLink, Thumbnail, ImageExports, ModelAdmin):
    form = ImageForm
    collection = "images"
    list_display = ["thumbnail", "title", *DETAILS]
    list_display_links = ["thumbnail", "title"]
    list_filter = [("created", DayRangeFilter)]
    list_filter_submit = True
    list_select_related = ["author"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["title", "file", "source_url"]
    date_hierarchy = "created"
    readonly_fields = ["preview", "source_url", *DETAILS]
    add_fieldsets = [(None, {"fields": ["upload", "title"]})]
    fieldsets = [(None, {"fields": ["preview", "title", "source_url", *DETAILS]})]

    def get_urls(self):
        view = self.admin_site.admin_view(self.upload_view)
        return [path("upload/", view, name="calendar_app_image_upload"), *super().get_urls()]

    def upload_view(self, request):
        """Store a picture that was dropped on a form, and answer with its ID and title as JSON."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.has_add_permission(request):
            raise PermissionDenied
        if "file" not in request.FILES:
            return JsonResponse({"error": "There is no file."}, status=400)
        try:
            image = images.store(request.FILES["file"], author=request.user)
        except images.ImageError as e:
            return JsonResponse({"error": e.message}, status=e.status)
        self.log_addition(request, image, [{"added": {}}])
        return JsonResponse({"id": image.pk, "title": str(image)}, status=201)

    def get_queryset(self, request):
        return images.visible_to(request.user)

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change, **kwargs)
        form.user = request.user
        return form

    def save_model(self, request, obj, form, change):
        if change:
            with writing():
                obj.save()

    @display(description="pixels", ordering="width")
    def dimensions(self, picture):
        return f"{picture.width} x {picture.height}"

    @display(description="size", ordering="filesize")
    def kilobytes(self, picture):
        return f"{picture.filesize / 1000:.0f} kB"

    @display(description="picture")
    def preview(self, picture):
        address = picture.file.url
        return format_html(
            '<a href="{}"><img src="{}" alt="" style="max-height: 20rem"></a>', address, address
        )
