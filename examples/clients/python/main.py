import os

from burnish_client import AuthenticatedClient
from burnish_client.api.uploads import create_upload
from burnish_client.types import File

client = AuthenticatedClient(os.environ["BURNISH"], token=os.environ["KEY"], timeout=60)
with open("photo.jpg", "rb") as photo:
    upload = create_upload.sync(
        client=client,
        body=File(payload=photo),
        filename="photo.jpg",
        enhancements='[{"upscalingFactor":"X2"}]',
        prefer="wait=30",
    )
print(upload.enhancements[0].full_url)
