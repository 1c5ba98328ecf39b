import { beforeAll, expect, test } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { adminPassword, describeServers, type TestServer } from '../support/server.ts'
import { type ProxyOptions, startProxy } from './proxy.ts'

type Decide = NonNullable<ProxyOptions['decide']>

const credentials = { login: 'administrator', password: adminPassword }
const retry = { times: 3, firstDelayMs: 1, maxDelayMs: 5 }
const keysPath = '/api/component/core/route'

/** Loses the first answer to a method. */
const loseFirst = (method: string): Decide => {
  let lost = false
  return (asked) => {
    const loses = asked === method && !lost
    lost ||= loses
    return loses ? 'cut after' : 'pass'
  }
}

describeServers('creations by the HTTP client', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  const through = async <T>(decide: Decide, work: (api: Api, seen: readonly string[]) => Promise<T>) => {
    const proxy = await startProxy({ target: server.url, decide })
    const api = createApi({ url: proxy.url, credentials, retry })
    try {
      return await work(api, proxy.seen)
    } finally {
      await api.close()
      await proxy.close()
    }
  }
  const groupBody = (display_name: string) => ({
    resource: { cls: 'resource_group', parent: { id: 0 }, display_name },
  })
  const namesOf = async (name: string) => {
    const answer = await server.admin('GET', `/api/resource/search/?display_name__like=${name}%25`)
    return (await answer.json<{ resource: { display_name: string } }[]>()).map(
      (one) => one.resource.display_name,
    )
  }

  test('are executed once and get a response, even if the first response was lost', async () => {
    await through(loseFirst('POST'), async (api, seen) => {
      const { id } = await api.call('resource.create', { body: groupBody('Lost once') })
      expect(seen.filter((line) => line.startsWith('POST'))).toHaveLength(2)
      const found = await server.admin('GET', `/api/resource/${id}`)
      expect(await found.json()).toMatchObject({ resource: { display_name: 'Lost once' } })
    })
    expect(await namesOf('Lost once')).toEqual(['Lost once'])
  })

  test('of tokens are executed once too, but a lost response is not repeated, because it contains the token', async () => {
    const body = { name: 'lost' }
    await through(loseFirst('POST'), async (api) => {
      await expect(api.call('token.create', { body })).rejects.toMatchObject({
        code: 'request/answer-lost',
        data: { answer: { id: expect.any(Number), name: 'lost' } },
      })
    })
    const listed = await server.admin('GET', '/api/component/landform/token/')
    expect(await listed.json()).toEqual([expect.objectContaining(body)])
  })

  test('are sent once to a server without support for keys', async () => {
    const decide: Decide = (method, path) =>
      path.startsWith(keysPath) ? 'unknown' : method === 'POST' ? 'cut after' : 'pass'
    await through(decide, async (api, seen) => {
      await expect(api.call('resource.create', { body: groupBody('Not known') })).rejects.toMatchObject({
        code: 'http/unreachable',
      })
      expect(seen.filter((line) => line.startsWith('POST'))).toHaveLength(1)
    })
  })

  test('detect once whether the server supports keys', async () => {
    await through(
      () => 'pass',
      async (api, seen) => {
        await api.call('resource.create', { body: groupBody('Asks 1') })
        await api.call('resource.create', { body: groupBody('Asks 2') })
        await api.call('instance.version')
        expect(seen.filter((line) => line.includes(keysPath))).toHaveLength(1)
      },
    )
  })

  test('with a key of the caller are executed once, whichever attempt succeeds', async () => {
    await through(
      () => 'pass',
      async (api) => {
        const body = groupBody('By one key')
        const first = await api.call('resource.create', { body, key: 'made-up' })
        expect(await api.call('resource.create', { body, key: 'made-up' })).toEqual(first)
      },
    )
    expect(await namesOf('By one key')).toHaveLength(1)
  })
})
