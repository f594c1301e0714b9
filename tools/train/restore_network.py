"""The `restore` network, which removes JPEG artefacts and noise and keeps the size; RGB 0 to 1 in and out."""

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from network import CoarseTrunk, Merged, change, leaky, merge


class RestoreNetwork(CoarseTrunk):
    """No layer works at the size of the input: a pixel unshuffle by two starts, and most weights work at a quarter.

    Inside, colours are luma and doubled Cb and Cr (ITU-R BT.601), so that noise of colours has channels of its own.
    The network adds its output to the input. The export merges the change of colours into the outer layers.
    """

    NAME = 'restore'
    SCALE = 1
    # Sides of the input are a multiple of ALIGNMENT. TILE is the side of a tile. Both in pixels.
    ALIGNMENT = 4
    TILE = 512

    def __init__(self, fine: int = 32, coarse: int = 96, head: int = 1, body: int = 3, tail: int = 2):
        super().__init__()
        self.first = Merged(12, fine)
        self.head = nn.ModuleList(Merged(fine, fine) for _ in range(head))
        self.add_trunk(fine, coarse, body, tail)
        # The last layer sees the pixels too: noise of colours is then mostly a matter of one linear filter.
        self.last = Merged(fine + 12, 12, gain=0.01)
        to_ycc = torch.tensor([[0.299, 0.587, 0.114], [-0.338, -0.662, 1.0], [1.0, -0.838, -0.162]])
        # Each colour has four channels after the unshuffle.
        self.register_buffer('to_ycc', torch.kron(to_ycc, torch.eye(4)))
        self.register_buffer('to_rgb', torch.kron(torch.linalg.inv(to_ycc).contiguous(), torch.eye(4)))
        self.start_trunk()

    def forward(self, x: Tensor) -> Tensor:
        # Seven bits of a bfloat16 are too few for pixels: the first layer and the sum stay in full precision.
        with torch.autocast('cpu', enabled=False):
            pixels = change(functional.pixel_unshuffle(x, 2), self.to_ycc)
            fine = leaky(self.first(pixels))
        for layer in self.head:
            fine = leaky(layer(fine))
        fine = self.through_tail(fine + self.widened(self.through_body(fine)))
        with torch.autocast('cpu', enabled=False):
            correction = self.last(torch.cat((fine.float(), pixels), 1))
            return x + functional.pixel_shuffle(change(correction, self.to_rgb), 2)

    def margin(self) -> int:
        """Pixels at each edge that the border can reach: what tiles must overlap by, a multiple of ALIGNMENT."""
        reach = 2 * (1 + len(self.head)) + 4 * len(self.body) + 2 * (len(self.tail) + 1) + 2
        return -(-reach // self.ALIGNMENT) * self.ALIGNMENT

    def merged(self) -> 'RestoreNetwork':
        """The same function with every branched layer as one plain convolution, and RGB inside."""
        merge(self)
        with torch.no_grad():
            self.first.weight.copy_(torch.einsum('oihw,ij->ojhw', self.first.weight, self.to_ycc))
            wide = self.last.in_channels - 12
            self.last.weight[:, wide:] = torch.einsum('oihw,ij->ojhw', self.last.weight[:, wide:], self.to_ycc)
            self.last.weight.copy_(torch.einsum('po,oihw->pihw', self.to_rgb, self.last.weight))
            self.last.bias.copy_(self.to_rgb @ self.last.bias)
        self.to_ycc, self.to_rgb = None, None
        return self
