"""The one way to buy: what can be bought, and every rule of spending."""
