"""Takes what buildah draws at random, the name of the container that it built in, out of the image in a directory of
skopeo's, so that the same files make the same image."""

import hashlib
import json
import pathlib
import sys

directory = pathlib.Path(sys.argv[1])
manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
drawn = directory / manifest["config"]["digest"].removeprefix("sha256:")
config = json.loads(drawn.read_text(encoding="utf-8"))
drawn.unlink()
for member in ("container", "container_config"):
    del config[member]
config["config"]["Hostname"] = ""
settled = json.dumps(config, separators=(",", ":")).encode()
digest = hashlib.sha256(settled).hexdigest()
(directory / digest).write_bytes(settled)
manifest["config"].update(digest=f"sha256:{digest}", size=len(settled))
(directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
