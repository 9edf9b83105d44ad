"""What the lessons claim, stated as code: a claim that is not true fails here."""

import torch
from torch import nn

from visuals import track_shapes


class Attention(nn.Module):
    """Self-attention as in lesson 02, with the division by √d_k or without, and a causal mask or none."""

    def __init__(self, d_in, d_out, scaled=True, causal=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))
        self.scaled, self.causal = scaled, causal

    def weights(self, x):
        queries, keys = self.W_query(x), self.W_key(x)
        scores = queries @ keys.T
        if self.causal:
            scores = scores.masked_fill(torch.triu(torch.ones_like(scores), diagonal=1).bool(), -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5 if self.scaled else scores, dim=-1)

    def forward(self, x):
        return self.weights(x) @ self.W_value(x)


# lesson 01


def test_vectors_that_share_a_direction_can_still_have_the_dot_product_0():
    assert torch.dot(torch.tensor([1.0, 1.0]), torch.tensor([1.0, -1.0])) == 0


# lesson 02


def test_left_out_the_division_makes_gradients_larger_at_the_start_and_the_more_so_the_wider_the_keys():
    ratios, largest = [], []
    for width in (8, 64, 512):
        norms = {}
        for scaled in (True, False):
            total = 0.0
            for seed in range(4):
                torch.manual_seed(seed)
                x, target = torch.randn(6, width), torch.randn(6, width)
                attention = Attention(width, width, scaled)
                ((attention(x) - target) ** 2).mean().backward()
                total += float(attention.W_query.weight.grad.norm())
            norms[scaled] = total
            if not scaled:
                largest.append(float(attention.weights(x).detach().max(dim=-1).values.mean()))
        ratios.append(norms[False] / norms[True])
    assert ratios[0] > 2
    assert ratios == sorted(ratios)
    assert largest == sorted(largest)
    assert largest[-1] > 0.8


def test_the_largest_weight_of_a_random_row_goes_to_a_token_that_chance_chose():
    """Other start values, another winner: saturated rows say nothing about the sentence."""
    torch.manual_seed(0)
    x = torch.randn(6, 512)
    winners = {tuple(Attention(512, 512, scaled=False).weights(x).argmax(dim=-1).tolist()) for _ in range(5)}
    assert len(winners) == 5


# lesson 03


def shuffled_past(*layers):
    """How far the last output moves when the tokens before it are shuffled."""
    x, order = torch.randn(6, 4), [3, 1, 4, 0, 2, 5]
    with torch.no_grad():
        one, other = x, x[order]
        for layer in layers:
            one, other = layer(one), layer(other)
        return float((one[-1] - other[-1]).abs().max())


def test_one_causal_layer_does_not_know_the_order_of_the_past_and_two_do():
    torch.manual_seed(0)
    first, second = Attention(4, 4, causal=True), Attention(4, 4, causal=True)
    assert shuffled_past(first) < 1e-6
    assert shuffled_past(first, second) > 0.01


# the shape tracker


def test_an_axis_that_only_has_the_batchs_size_is_not_called_batch():
    heads = torch.randn(2, 3, 8)
    with track_shapes(b=2, tokens=3) as shapes:
        heads.view(2, 3, 2, 4)
    text = str(shapes)
    assert "(b, tokens, 2, 4)" in text
    assert "(b, tokens, b, 4)" not in text
