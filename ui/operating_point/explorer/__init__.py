"""The live explorer: slider, numbers and charts that move together in the browser."""
