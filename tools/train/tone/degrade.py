"""Damage of the pictures that the network learns from, on tensors [n, 3, h, w] from 0 to 1."""

import torch
import torch.nn.functional as functional

from model import LUMA, encoded, linear

# Shares of the damaged pictures that get each kind of damage
SHARES = {
    'exposure': 0.9,
    'balance': 0.65,
    'haze': 0.12,
    'gamma': 0.35,
    'flat': 0.7,
    'saturation': 0.5,
    'backlight': 0.12,
    'noise': 0.4,
}
SINGLE = ('exposure', 'flat', 'balance')


def uniform(n: int, low: float, high: float) -> torch.Tensor:
    return torch.rand(n, 1, 1, 1) * (high - low) + low


def normal(n: int, sigma: float) -> torch.Tensor:
    return torch.randn(n, 1, 1, 1) * sigma


def chosen(n: int, share: float) -> torch.Tensor:
    return (torch.rand(n, 1, 1, 1) < share).float()


def crops(pictures: torch.Tensor, indices: torch.Tensor, side: int) -> torch.Tensor:
    """Random windows of uint8 pictures [n, side, side, 3], mirrored at random. A third show the whole picture."""
    n = len(indices)
    x = pictures[indices].permute(0, 3, 1, 2).float() / 255
    scale = torch.where(torch.rand(n) < 0.35, torch.ones(n), torch.rand(n) * 0.4 + 0.6)
    mirror = (torch.rand(n) < 0.5).float() * 2 - 1
    place = torch.zeros(n, 2, 3)
    place[:, 0, 0], place[:, 1, 1] = scale * mirror, scale
    place[:, 0, 2], place[:, 1, 2] = (torch.rand(n) * 2 - 1) * (1 - scale), (torch.rand(n) * 2 - 1) * (1 - scale)
    grid = functional.affine_grid(place, (n, 3, side, side), align_corners=False)
    return functional.grid_sample(x, grid, mode='nearest', padding_mode='reflection', align_corners=False)


def jittered(t: torch.Tensor, amount: float) -> torch.Tensor:
    """A good picture is good in its neighbourhood too, so the network cannot learn it by heart."""
    n = len(t)
    t = t.clamp(1e-4, 1) ** torch.exp(normal(n, 0.1 * amount))
    grey = t.mean(1, keepdim=True)
    t = grey + (t - grey) * torch.exp(normal(n, 0.12 * amount))
    tint = torch.cat([normal(n, 0.03 * amount), torch.zeros(n, 1, 1, 1), normal(n, 0.03 * amount)], 1)
    return (t * torch.exp(tint)).clamp(0, 1)


# Colours of wide, even areas, from top to bottom: skies by day and at dusk, water, grass, leaves, wood, brick, sand and walls
EXPANSES = (
    ((0, 62, 190), (124, 196, 255)),
    ((30, 90, 170), (190, 220, 245)),
    ((10, 40, 120), (90, 150, 220)),
    ((70, 140, 230), (160, 205, 250)),
    ((240, 180, 110), (230, 120, 70)),
    ((250, 205, 140), (235, 150, 95)),
    ((120, 95, 130), (235, 150, 100)),
    ((20, 70, 90), (60, 130, 150)),
    ((60, 100, 30), (130, 160, 60)),
    ((25, 60, 20), (80, 120, 40)),
    ((150, 95, 50), (110, 65, 30)),
    ((150, 70, 50), (120, 50, 40)),
    ((220, 195, 150), (190, 160, 110)),
    ((230, 205, 140), (200, 170, 100)),
)
SKIES = 7


def varied(ends: torch.Tensor, spread: float) -> torch.Tensor:
    """Colours [n, 2, 3] of 0 to 255 as ends of a gradient, 0 to 1, in other brightness and slightly other hue."""
    return (ends / 255 * torch.exp(0.2 * torch.randn(len(ends), 1, 1) + spread * torch.randn(len(ends), 2, 3))).clamp(0, 1)


def shaded(ends: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """Areas [n, 3, side, side] from the first colour at the top to the second at the bottom, not quite evenly lit."""
    n, side = len(ends), down.shape[2]
    colour = ends[:, 0, :, None, None] * (1 - down) + ends[:, 1, :, None, None] * down
    shade = functional.interpolate(torch.randn(n, 1, 5, 5), size=(side, side), mode='bicubic', align_corners=False)
    return (colour * (1 + uniform(n, 0, 0.12) * shade)).clamp(0, 1)


def with_expanse(t: torch.Tensor, share: float) -> torch.Tensor:
    """Some pictures with a wide area of one colour, which is no cast. Half of them are skies, at the top."""
    n, side = len(t), t.shape[2]
    kind = torch.where(torch.rand(n) < 0.5, torch.randint(SKIES, (n,)), torch.randint(len(EXPANSES), (n,)))
    down = torch.linspace(0, 1, side).view(1, 1, side, 1)
    area = shaded(varied(torch.tensor(EXPANSES)[kind], 0.08), down)
    edge = uniform(n, 0.3, 0.85) + 0.06 * torch.randn(n, 1, 1, side // 4).repeat_interleave(4, 3)
    below = ((kind >= SKIES) & (torch.rand(n) < 0.6)).float().view(n, 1, 1, 1)
    place = below * (1 - down) + (1 - below) * down
    mask = (place < edge).float() * chosen(n, share)
    return t * (1 - mask) + area * mask


# Skies of low sun and of the blue hour, from top to horizon
SUNS = (
    ((250, 225, 165), (255, 200, 120)),
    ((255, 215, 140), (250, 190, 110)),
    ((250, 205, 140), (235, 150, 95)),
    ((245, 180, 110), (230, 120, 70)),
    ((200, 150, 130), (250, 190, 120)),
    ((235, 215, 190), (250, 205, 150)),
    ((120, 95, 130), (235, 150, 100)),
    ((225, 200, 175), (245, 170, 110)),
)
HOURS = (((25, 45, 100), (90, 110, 160)), ((50, 70, 130), (150, 150, 185)), ((15, 25, 60), (60, 80, 130)))


def under_sky(t: torch.Tensor) -> torch.Tensor:
    """Landscapes in low sun: a coloured sky above a picture that is darker, and under a part of the same light.

    Their colours are those of a picture with a cast. Only the sky says that they are right.
    """
    n, side = len(t), t.shape[2]
    blue = torch.rand(n, 1, 1) < 0.2
    ends = torch.where(blue, torch.tensor(HOURS)[torch.randint(len(HOURS), (n,))], torch.tensor(SUNS)[torch.randint(len(SUNS), (n,))])
    ends = varied(ends, 0.06)
    down = torch.linspace(0, 1, side).view(1, 1, side, 1)
    sky = shaded(ends, down)
    sun = torch.log(linear(ends.mean(1)) + 1e-3)
    sun = torch.stack([sun[:, 0] - sun[:, 1], sun[:, 2] - sun[:, 1]], 1)
    land = illuminated(linear(t), sun * uniform(n, 0.35, 1)[:, :, 0, 0]) * torch.exp2(-uniform(n, 0, 2))
    hills = functional.interpolate(torch.randn(n, 1, 1, side // 3), size=(1, side), mode='bicubic', align_corners=False)
    mask = (down < uniform(n, 0.25, 0.85) + 0.07 * hills).float()
    return encoded(land.clamp(0, 1)).clamp(0, 1) * (1 - mask) + sky * mask


def in_low_sun(t: torch.Tensor) -> torch.Tensor:
    """Pictures whose lit parts become warmer, and whose shade keeps its colour or becomes cooler."""
    n, light = len(t), linear(t)
    luma = (light * torch.tensor(LUMA).view(1, 3, 1, 1)).sum(1, keepdim=True)
    lit = torch.sigmoid(3 * (luma / (luma.mean((2, 3), keepdim=True) + 0.01) - uniform(n, 0.6, 1.2)))
    warmth = uniform(n, 0, 0.6) * lit + uniform(n, -0.12, 0.15) * (1 - lit)
    gains = torch.exp(torch.cat([0.5 * warmth, torch.zeros_like(warmth), -0.8 * warmth], 1))
    gains = gains / (gains * torch.tensor(LUMA).view(1, 3, 1, 1)).sum(1, keepdim=True)
    return encoded((light * gains).clamp(0, 1)).clamp(0, 1)


def brighter(x: torch.Tensor, stops: torch.Tensor) -> torch.Tensor:
    """More exposure, with clipping."""
    return encoded((linear(x) * torch.exp2(stops)).clamp(0, 1)).clamp(0, 1)


def lights(n: int) -> torch.Tensor:
    """Random lights [n, 2] as log(R/G) and log(B/G), from daylight to strong lamps, shade, tubes and filters."""
    warmth = torch.where(torch.rand(n) < 0.6, torch.rand(n) * 1.3, -torch.rand(n) * 1.1)
    lamps = torch.stack([0.52 * warmth, -0.78 * warmth], 1) + 0.07 * torch.randn(n, 2)
    green = (torch.rand(n) * 2 - 1) * 0.38
    filters = green[:, None] + 0.12 * torch.randn(n, 2)
    return torch.where(torch.rand(n, 1) < 0.65, lamps, filters)


def illuminated(light: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """Linear light [n, 3, h, w] under other lights [n, 2], with the same luma of greys."""
    gains = torch.exp(torch.stack([by[:, 0], torch.zeros(len(by)), by[:, 1]], 1))
    gains = gains / (gains * torch.tensor(LUMA)).sum(1, keepdim=True)
    return light * gains[:, :, None, None]


def cast_by(t: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """Pictures with a cast and no other fault."""
    return encoded(illuminated(linear(t), by).clamp(0, 1))


def damaged(t: torch.Tensor, shares: dict[str, float], single: float, by: torch.Tensor | None = None) -> torch.Tensor:
    """A camera's faults, from hardly visible to strong. Casts are random where no lights [n, 2] are given."""
    n = len(t)

    # Each picture has a strength of its own, and each fault varies within it.
    strength = torch.rand(n, 1, 1, 1) ** 0.5

    # Some have one fault only: a wrong exposure, a flat export, or a cast.
    alone = chosen(n, single)
    only = torch.randint(len(SINGLE), (n, 1, 1, 1))

    def on(name: str) -> torch.Tensor:
        this = (only == SINGLE.index(name)).float() if name in SINGLE else torch.zeros(n, 1, 1, 1)
        return (alone * this + (1 - alone) * chosen(n, shares[name])) * strength

    light = linear(t)
    mask = functional.interpolate(torch.randn(n, 1, 3, 3), size=t.shape[2:], mode='bicubic', align_corners=False)
    light = light * torch.exp2(-torch.sigmoid(3 * mask) * uniform(n, 0.5, 2.5) * on('backlight'))
    light = light * torch.exp2(uniform(n, -2.8, 1.3) * on('exposure'))
    if by is None:
        cast = on('balance')
        warmth, green = normal(n, 0.35) * cast, normal(n, 0.1) * cast
        light = light * torch.exp(torch.cat([warmth, green, -warmth], 1))
    else:
        light = illuminated(light, by)
    haze = on('haze') * uniform(n, 0.1, 0.55)
    light = light * (1 - haze) + uniform(n, 0.5, 0.95) * haze
    x = encoded(light.clamp(0, 1)).clamp(1e-4, 1)
    x = x ** torch.exp(normal(n, 0.3) * on('gamma'))
    # A flat export: less contrast about a pivot, raised blacks, lowered whites
    flat = on('flat')
    pivot = uniform(n, 0.25, 0.6)
    x = pivot + (x - pivot) * (1 - uniform(n, 0, 0.55) * flat)
    black, white = uniform(n, 0, 0.15) * flat, 1 - uniform(n, 0, 0.27) * flat
    x = black + (white - black) * x
    luma = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
    grey = (x * luma).sum(1, keepdim=True)
    x = grey + (x - grey) * (1 - uniform(n, -0.2, 0.7) * on('saturation'))
    x = x + torch.randn_like(x) * 0.015 * on('noise')
    return (x.clamp(0, 1) * 255).round() / 255


def on_white(t: torch.Tensor) -> torch.Tensor:
    """Objects of random outline on white or nearly white, some with a shadow, and drawn pages."""
    n, side = len(t), t.shape[2]
    axis = torch.linspace(-1, 1, side)
    y, x = torch.meshgrid(axis, axis, indexing='ij')
    angle = torch.atan2(y, x)[None]
    waves = sum(normal(n, 0.12)[:, 0] * torch.cos((k + 1) * angle + 6 * torch.rand(n, 1, 1)) for k in range(4))
    radius = uniform(n, 0.25, 0.95)[:, 0] * (1 + waves)
    turned = torch.rand(n, 1, 1) < 0.5
    narrow = uniform(n, 0.45, 1)[:, 0]
    distance = torch.hypot(torch.where(turned, x[None] / narrow, x[None]), torch.where(turned, y[None], y[None] / narrow))
    mask = torch.sigmoid((radius - distance) * 40)[:, None]
    # Two in five are nearly plain, as jewellery and packages are.
    plain = chosen(n, 0.4) * 0.8
    colour = (t.mean((2, 3), keepdim=True) * uniform(n, 0.15, 1.6)).clamp(0, 1)
    thing = t * (1 - plain) + colour * plain
    shadow = 1 - chosen(n, 0.4) * 0.3 * torch.sigmoid((radius - distance + 0.05) * 6)[:, None]
    ground = (1 - chosen(n, 0.3) * uniform(n, 0, 0.06)) * shadow
    objects = thing * mask + ground * (1 - mask)
    lines = (torch.sin(y * 60) > 0) & (torch.rand(n, 1, side, side) > 0.35) & (x.abs() < 0.8) & (y.abs() < 0.85)
    pages = (1 - lines.float() * uniform(n, 0.4, 0.95)).expand(-1, 3, -1, -1)
    is_page = chosen(n, 0.15)
    return (objects * (1 - is_page) + pages * is_page).clamp(0, 1)


