"""watch.py N SOCKET PID -- N clients watch a daemon's /events until it exits. Prints "all watch";
at the end, the number of events of one client, and the CPU seconds of the daemon's thread that
answers."""
import glob, selectors, socket, sys

count, path, pid = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def answering():  # CPU seconds of the thread that answers, or 0 if the daemon has exited
    for task in glob.glob(f"/proc/{pid}/task/*"):
        try:
            if open(task + "/comm").read().startswith("MHD"):
                return int(open(task + "/schedstat").read().split()[0]) * 1e-9
        except OSError:
            pass
    return 0.0


selector = selectors.DefaultSelector()
first = set()
events, spent = 0, 0.0
for i in range(count):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    selector.register(s, selectors.EVENT_READ, i)
while selector.get_map():
    for key, _ in selector.select():
        data = key.fileobj.recv(1 << 16)
        if not data:
            selector.unregister(key.fileobj)
            continue
        events += data.count(b"data: ") if key.data == 0 else 0
        if b"data: " in data and len(first) < count:
            first.add(key.data)
            if len(first) == count:
                print("all watch", flush=True)
    spent = max(spent, answering())
print(events, "events", spent)
