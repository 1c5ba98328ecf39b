import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../src/server/http/app.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const closings: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})
afterAll(() => server.stop())

interface Steps {
  /** Runs before a caller is known. */
  readonly authenticate?: () => Promise<void>
  /** Answers each operation. */
  readonly answer: (signal: AbortSignal) => Promise<void>
  /** Gets the code of an operation that fails. */
  readonly onError?: (code: string) => void
}

/** Starts an application whose operations run the given steps; returns both ends of a connection to it. */
async function open({ authenticate, answer, onError }: Steps): Promise<{ client: Socket; peer: Socket }> {
  const { context } = server.running
  const { authenticator } = context
  const slow = {
    ...authenticator,
    authenticate: async (claims: Parameters<typeof authenticator.authenticate>[0]) => {
      await authenticate?.()
      return authenticator.authenticate(claims)
    },
  }
  const app = createApp({ ...context, authenticator: slow }, () => async ({ signal }) => {
    await answer(signal)
    return { json: {} }
  })
  app.addHook('onError', async (_request, _reply, { code }) => onError?.(code))
  await app.listen({ host: '127.0.0.1', port: 0 })
  closings.push(() => app.close())
  const connected = once(app.server, 'connection')
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const [peer] = (await connected) as [Socket]
  return { client, peer }
}

const request = 'GET /api/component/auth/current_user HTTP/1.1\r\nHost: test\r\n\r\n'

test('the operation of a client that goes away while its request waits is not started', async () => {
  const waits = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<string>()
  const { client, peer } = await open({
    authenticate: () => {
      waits.resolve()
      return released.promise
    },
    answer: async () => outcome.resolve('started'),
    onError: outcome.resolve,
  })
  client.write(request)
  await waits.promise
  const closed = once(peer, 'close')
  client.destroy()
  await closed
  released.resolve()
  expect(await outcome.promise).toBe('request/aborted')
})
