// Preloaded into a server that will be killed: its GDAL process stops itself after it has sent some rows, so that a
// source is partly read when the server is killed. @see `spawnServer`
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
