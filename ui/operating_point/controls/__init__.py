"""What stands above the charts: settings, what drives the point, downloads, the tour."""
