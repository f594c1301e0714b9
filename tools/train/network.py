"""The `fast` network, which doubles a picture and removes JPEG artefacts, and the layers that all networks share."""

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

SLOPE = 0.1
SCALE = 2
# RGB to Cb and Cr (ITU-R BT.601), and the change of RGB that a change of Cb and Cr causes at equal luma
TO_CHROMA = torch.tensor([[-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
FROM_CHROMA = torch.tensor([[0.0, 1.402], [-0.344136, -0.714136], [1.772, 0.0]])
# Chroma varies this much less than luma. Unscaled, a network hardly learns it.
CHROMA_SCALE = 6


def bicubic_phase_kernels() -> Tensor:
    """Weights [12, 3, 5, 5] that give centred bicubic (a = -0.5) as a convolution before a pixel shuffle by two."""

    def cubic(distance: float) -> float:
        t = abs(distance)
        if t < 1:
            return 1.5 * t**3 - 2.5 * t**2 + 1
        if t < 2:
            return -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2
        return 0.0

    # Output pixel 2i + p lies at i + (p - .5) / 2 of the input when pixel centres are kept.
    taps = torch.tensor([[cubic(k - (p - 0.5) / SCALE) for k in range(-2, 3)] for p in range(SCALE)])
    weight = torch.zeros(3 * SCALE**2, 3, 5, 5)
    for channel in range(3):
        for row in range(SCALE):
            for column in range(SCALE):
                weight[channel * 4 + row * 2 + column, channel] = torch.outer(taps[row], taps[column])
    return weight


class Merged(nn.Module):
    """A 3x3 convolution trained as the sum of a 3x3 branch, a 1x1 branch and (where it fits) the identity.

    The branches are summed as weights, which is the same function as summing their outputs and costs nothing.
    """

    def __init__(self, inputs: int, outputs: int, gain: float = 1.0):
        super().__init__()
        self.wide = nn.Parameter(torch.empty(outputs, inputs, 3, 3))
        self.point = nn.Parameter(torch.empty(outputs, inputs, 1, 1))
        self.bias = nn.Parameter(torch.zeros(outputs))
        identity = torch.zeros(outputs, inputs, 3, 3)
        if inputs == outputs:
            identity[range(outputs), range(outputs), 1, 1] = 1
        self.register_buffer('identity', identity)
        nn.init.kaiming_normal_(self.wide, a=SLOPE)
        nn.init.kaiming_normal_(self.point, a=SLOPE)
        with torch.no_grad():
            shrink = 0.5 if inputs == outputs else 0.7
            self.wide.mul_(shrink * gain)
            self.point.mul_(shrink * gain)

    def weight(self) -> Tensor:
        return self.wide + functional.pad(self.point, (1, 1, 1, 1)) + self.identity

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv2d(x, self.weight(), self.bias, padding=1)

    def merged(self) -> nn.Conv2d:
        outputs, inputs = self.wide.shape[:2]
        plain = nn.Conv2d(inputs, outputs, 3, padding=1)
        with torch.no_grad():
            plain.weight.copy_(self.weight())
            plain.bias.copy_(self.bias)
        return plain


def merge(module: nn.Module) -> nn.Module:
    """Replaces every Merged layer inside by one plain convolution."""
    for name, child in module.named_children():
        setattr(module, name, child.merged() if isinstance(child, Merged) else merge(child))
    return module


def leaky(x: Tensor) -> Tensor:
    return functional.leaky_relu(x, SLOPE)


def change(channels: Tensor, matrix: Tensor | None) -> Tensor:
    """Multiplies the channels of every pixel by a matrix; None leaves them."""
    if matrix is None:
        return channels
    return functional.conv2d(channels, matrix[:, :, None, None])


class CoarseTrunk(nn.Module):
    """The layers that both networks share: `down`, `body` at half the size of their input, `up`, and `tail`."""

    def add_trunk(self, fine: int, coarse: int, body: int, tail: int) -> None:
        self.down = nn.Conv2d(fine, coarse, 2, stride=2)
        self.body = nn.ModuleList(Merged(coarse, coarse) for _ in range(body))
        self.up = nn.Conv2d(coarse, fine * 4, 1)
        self.tail = nn.ModuleList(Merged(fine, fine) for _ in range(tail))

    def start_trunk(self) -> None:
        """Draws the first weights of `down` and `up`."""
        with torch.no_grad():
            for layer in (self.down, self.up):
                nn.init.kaiming_normal_(layer.weight, a=SLOPE)
                layer.bias.zero_()
            self.up.weight.mul_(0.5)

    def through_body(self, fine: Tensor) -> Tensor:
        """What `body` makes of the input, at half its size."""
        coarse = leaky(self.down(fine))
        for layer in self.body:
            coarse = leaky(layer(coarse))
        return coarse

    def widened(self, coarse: Tensor) -> Tensor:
        """What `body` made of the input, at the size of the input."""
        return functional.pixel_shuffle(self.up(coarse), 2)

    def through_tail(self, fine: Tensor) -> Tensor:
        for layer in self.tail:
            fine = leaky(layer(fine))
        return fine


def green_and_chroma_kernels() -> Tensor:
    """Weights [12, 3, 2, 2] that give green, Cb and Cr of each 2x2 pixels as a convolution with a stride of two."""
    planes = torch.cat((torch.tensor([[0.0, 1.0, 0.0]]), TO_CHROMA * CHROMA_SCALE))
    places = torch.eye(4).view(4, 2, 2)
    return torch.einsum('ci,pyx->cpiyx', planes, places).reshape(12, 3, 2, 2)


class ColourBranch(nn.Module):
    """Corrects Cb and Cr, and leaves luma. It works at half the size of the input, from colours and from `body`."""

    def __init__(self, coarse: int, width: int = 32, body: int = 2):
        super().__init__()
        self.register_buffer('to_pixels', green_and_chroma_kernels())
        self.join = nn.Conv2d(coarse + 12, width, 1)
        self.body = nn.ModuleList(Merged(width, width) for _ in range(body))
        # Sixteen pixels of the result for each at half the size of the input
        self.last = nn.Conv2d(width, 2 * 16, 3, padding=1)
        self.register_buffer('to_rgb', torch.kron(FROM_CHROMA / CHROMA_SCALE, torch.eye(16)))
        # Training starts without a change of colours.
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, x: Tensor, coarse: Tensor) -> Tensor:
        """Returns the change of RGB before the pixel shuffle, [b, 12, h, w], for the input `x` and the output of `body`."""
        pixels = functional.conv2d(x, self.to_pixels, stride=2)
        found = leaky(self.join(torch.cat((pixels, coarse), 1)))
        for layer in self.body:
            found = leaky(layer(found))
        return functional.pixel_shuffle(change(self.last(found), self.to_rgb), 2)

    def reach(self) -> int:
        """Pixels of the input that the 3x3 layers reach across."""
        return 2 * (len(self.body) + 1)

    def merged(self) -> 'ColourBranch':
        """The same function with plain convolutions, and RGB as the last one's output."""
        merge(self)
        last = nn.Conv2d(self.last.in_channels, len(self.to_rgb), 3, padding=1)
        with torch.no_grad():
            last.weight.copy_(torch.einsum('po,oihw->pihw', self.to_rgb, self.last.weight))
            last.bias.copy_(self.to_rgb @ self.last.bias)
        self.last, self.to_rgb = last, None
        return self


class FastNetwork(CoarseTrunk):
    """Most of the work is done at half the input's size, where a layer costs a quarter and sees twice as far.

    The input and the output are RGB, 0 to 1.
    """

    NAME = 'fast'
    SCALE = SCALE
    # Sides of the input are a multiple of ALIGNMENT. TILE is the side of a tile. Both in pixels.
    ALIGNMENT = 2
    TILE = 256

    def __init__(self, fine: int = 32, coarse: int = 64, body: int = 6, tail: int = 2):
        super().__init__()
        # Odd heights and widths cost a copy, which training, whose pictures are even, goes without.
        self.any_size = False
        self.bicubic = nn.Conv2d(3, 3 * SCALE**2, 5, padding=2, bias=False)
        self.bicubic.weight = nn.Parameter(bicubic_phase_kernels(), requires_grad=False)
        self.head = Merged(3, fine)
        self.add_trunk(fine, coarse, body, tail)
        self.last = Merged(fine, 3 * SCALE**2, gain=0.01)
        self.colours = ColourBranch(coarse)
        self.start_trunk()

    def forward(self, x: Tensor) -> Tensor:
        # Seven bits of a bfloat16 are too few for pixels: what touches them stays in full precision.
        with torch.autocast('cpu', enabled=False):
            bicubic = self.bicubic(x)
            fine = leaky(self.head(x))
        coarse = self.through_body(self.to_even(fine))
        merged = fine + self.to_size(self.widened(coarse), x)
        correction = self.last(self.through_tail(merged)).float()
        with torch.autocast('cpu', enabled=False):
            colours = self.to_size(self.colours(self.to_even(x), coarse.float()), x)
            return functional.pixel_shuffle(bicubic + correction + colours, SCALE)

    def to_even(self, pixels: Tensor) -> Tensor:
        return functional.pad(pixels, (0, 1, 0, 1)) if self.any_size else pixels

    def to_size(self, pixels: Tensor, x: Tensor) -> Tensor:
        return pixels[:, :, : x.shape[2], : x.shape[3]] if self.any_size else pixels

    def margin(self) -> int:
        """Input pixels at each edge that the border can reach, rounded up to even: what tiles must overlap by."""
        trunk = 1 + 1 + 2 * len(self.body)
        reach = trunk + max(len(self.tail) + 1, self.colours.reach() + 1)
        return reach + reach % 2

    def merged(self) -> 'FastNetwork':
        """The same function with every branched layer as one plain convolution, for pictures of any size."""
        self.any_size = True
        self.colours = self.colours.merged()
        return merge(self)
