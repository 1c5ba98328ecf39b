import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startFaultProxy } from './fault_proxy.ts'

test('a proxy cuts its answer if the server dies in the middle of it', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200)
    response.write('half', () => response.socket?.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(fetch(proxy.url).then((answer) => answer.text())).rejects.toThrow(TypeError)
  await proxy.stop()
  await new Promise((resolve) => server.close(resolve))
})
