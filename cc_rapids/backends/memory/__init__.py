"""Memory of a run: pools of the device, locked pages of the host, and arrays packed into one."""
