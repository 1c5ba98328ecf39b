// Preloaded into a server that is going to be killed: its process of GDAL stops itself once it has sent some rows, so
// that a source is certain to be half read when the kill comes. @see `spawnServer`
import { Socket } from 'node:net'

const sentBytesBefore = 1 << 20

if (/gdal\/(.*\/)?child\.[jt]s$/.test(process.argv[1] ?? '')) {
  const { write } = Socket.prototype
  let sentBytes = 0
  Socket.prototype.write = function (this: Socket, ...rest: Parameters<typeof write>) {
    const [chunk] = rest
    if (sentBytes > sentBytesBefore) process.kill(process.pid, 'SIGSTOP')
    sentBytes += chunk.length
    return write.apply(this, rest)
  } as typeof write
}
