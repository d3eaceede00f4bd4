"""What the passes about staged operands share: arrivals and barriers, parts of products, what loops are made into."""
