"""What goes over the network when a cluster counts."""
