import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import type { Upload } from '../../../src/contract/bodies/resource.ts'
import { collectGarbage } from '../../../src/server/garbage_collection.ts'
import { createServer } from '../../../src/server/server.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import {
  type Ask,
  adminPassword,
  createAsk,
  describeServer,
  type TestResponse,
} from '../../support/server.ts'
import { openTus, uploads } from '../../support/tus.ts'

const quota = 1_000_000
const config = { uploadLimitBytes: quota, guestUploadBytes: quota, trustedProxies: ['loopback'] }

/** Comes from an address, as a proxy says. */
const from = (ask: Ask, address: string): Ask => {
  return (...[method, path, body, headers = {}]) =>
    ask(method, path, body, { ...headers, 'x-forwarded-for': address })
}
const failureOf = async (answer: TestResponse) => {
  const { code, message } = await answer.json<ErrorBody>()
  return [answer.status, code, message]
}
const part = (share: number) => randomBytes(Math.round(share * quota))
const statusesOf = (answers: readonly TestResponse[]) => answers.map(({ status }) => status)

/** Every way in which a guest could send more. */
async function sendAll(ask: Ask, begun: string, content: Uint8Array<ArrayBuffer>): Promise<TestResponse[]> {
  const form = new FormData()
  form.append('file', new Blob([content]), 'more.txt')
  const tus = openTus(ask)
  return [
    await ask('PUT', uploads, content),
    await ask('POST', uploads, form),
    await tus.append(begun, 0, content),
  ]
}

describeServer(
  'guests who upload',
  (start) => {
    beforeEach(async () => {
      await (await start()).database.query('delete from guest_upload')
    })

    const tooMuch = (network: string) => [
      429,
      'upload/guests',
      expect.stringMatching(
        `^Guests from ${network} would have uploaded \\d+ bytes within 24 hours; the limit is 1000000.$`,
      ),
    ]

    test('have a quota for each network, for every kind of upload, and users have none', async () => {
      const server = await start()
      const one = from(server.guest, '203.0.113.1')
      const other = from(server.guest, '203.0.113.2')
      const begun = await openTus(one).begin({ length: 300_000 })
      expect((await one('PUT', uploads, part(0.9))).status).toBe(200)
      for (const answer of await sendAll(one, begun, part(0.2)))
        expect(await failureOf(answer)).toEqual(tooMuch('203.0.113.1'))
      // What was refused was not counted.
      expect((await one('PUT', uploads, part(0.05))).status).toBe(200)
      const begunByOther = await openTus(other).begin({ length: 300_000 })
      expect(statusesOf(await sendAll(other, begunByOther, part(0.2)))).toEqual([200, 200, 204])
      const admin = from(server.admin, '203.0.113.1')
      expect((await admin('PUT', uploads, part(0.9))).status).toBe(200)
      expect((await admin('PUT', uploads, part(0.9))).status).toBe(200)
    })

    test('are counted by the network of an IPv6 address', async () => {
      const server = await start()
      expect((await from(server.guest, '2001:db8:1:1::1')('PUT', uploads, part(0.9))).status).toBe(200)
      const neighbour = await from(server.guest, '2001:db8:1:1:ffff::2')('PUT', uploads, part(0.2))
      expect(await failureOf(neighbour)).toEqual(tooMuch('2001:db8:1:1::/64'))
      expect((await from(server.guest, '2001:db8:1:2::1')('PUT', uploads, part(0.2))).status).toBe(200)
    })

    test('do not regain quota by deleting an upload, but after a day', async () => {
      const server = await start()
      const guest = from(server.guest, '203.0.113.3')
      const { id } = await (await guest('PUT', uploads, part(0.9))).json<Upload>()
      expect((await guest('DELETE', `${uploads}${id}`)).status).toBe(200)
      expect((await guest('PUT', uploads, part(0.2))).status).toBe(429)
      await server.database.query(
        "update guest_upload set hour = hour - interval '24 hours' where network = '203.0.113.3'",
      )
      expect((await guest('PUT', uploads, part(0.2))).status).toBe(200)
      await collectGarbage(server.running.context)
      const kept = await server.database.query<{ count: number }>(
        "select count(*)::int as count from guest_upload where network = '203.0.113.3'",
      )
      expect(kept).toEqual([{ count: 1 }])
    })

    test('have a maximum number of files and of unfinished uploads per network', async () => {
      const server = await start()
      const guest = from(server.guest, '203.0.113.4')
      expect((await guest('PUT', uploads, 'first')).status).toBe(200)
      await server.database.query(
        "update guest_upload set uploads = 2499 where network = '203.0.113.4' and uploads = 1",
      )
      expect((await guest('PUT', uploads, 'last')).status).toBe(200)
      const full = [
        429,
        'upload/guests',
        'Guests from 203.0.113.4 have uploaded 2500 files within 24 hours, the limit.',
      ]
      expect(await failureOf(await guest('PUT', uploads, 'more'))).toEqual(full)
      expect(await failureOf(await openTus(guest).send('POST', uploads, { 'upload-length': '1' }))).toEqual(
        full,
      )
      await server.database.query(
        `insert into partial_upload (id, length_bytes, user_id, network)
         select 'filler' || n, 1, (select id from principal where keyname = 'guest'), '203.0.113.5'
           from generate_series(1, 1000) n`,
      )
      const begin = (address: string) =>
        openTus(from(server.guest, address)).send('POST', uploads, { 'upload-length': '1' })
      expect((await failureOf(await begin('203.0.113.5')))[1]).toBe('upload/too-many')
      expect((await begin('203.0.113.6')).status).toBe(201)
    })

    test('are not charged for bytes that never arrived', async ({ signal }) => {
      const server = await start()
      const sent = request(`${server.url}${uploads}`, {
        method: 'PUT',
        headers: { 'content-length': 0.9 * quota, 'x-forwarded-for': '203.0.113.7' },
      })
      sent.once('error', () => undefined)
      let isRefused = false
      sent.once('response', () => {
        isRefused = true
      })
      await new Promise<void>((resolve) => sent.write(part(0.5), () => resolve()))
      const countBytes = async () => {
        signal.throwIfAborted()
        // Each hour has its own row.
        const rows = await server.database.query<{ bytes: number }>(
          "select coalesce(sum(bytes), 0)::int as bytes from guest_upload where network = '203.0.113.7'",
        )
        return rows[0]?.bytes
      }
      // A machine that is too busy for the minimum rate of the body refuses it, and charges nothing either.
      while (!(await countBytes()) && !isRefused) await new Promise(setImmediate)
      sent.destroy()
      while ((await countBytes()) !== 0) await new Promise(setImmediate)
      expect((await from(server.guest, '203.0.113.7')('PUT', uploads, part(0.9))).status).toBe(200)
    })

    test('share four times as much across all networks', async () => {
      const server = await start()
      for (let at = 1; at <= 4; at += 1)
        expect((await from(server.guest, `198.51.100.${at}`)('PUT', uploads, part(0.9))).status).toBe(200)
      expect(await failureOf(await from(server.guest, '198.51.100.5')('PUT', uploads, part(0.8)))).toEqual([
        429,
        'upload/guests',
        expect.stringMatching(
          /^Guests would have uploaded \d+ bytes within 24 hours; the limit is 4000000.$/,
        ),
      ])
      expect((await server.admin('PUT', uploads, part(0.9))).status).toBe(200)
    })
  },
  config,
)

test('all processes on a database share the quota of guests', async () => {
  const database = await createTestDatabase()
  const listen = { host: '127.0.0.1', port: 0 }
  const start = async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'landform-quota-'))
    const running = await createServer({
      ...config,
      listen,
      dataFolder,
      databaseUrl: database.url,
      adminPassword,
    })
    const stop = async () => {
      await running.stop()
      await rm(dataFolder, { recursive: true, force: true })
    }
    return { guest: from(createAsk(running.url, {}), '203.0.113.1'), stop }
  }
  const processes = [await start(), await start()]
  const [here, there] = processes
  try {
    expect((await here?.guest('PUT', uploads, part(0.6)))?.status).toBe(200)
    expect((await there?.guest('PUT', uploads, part(0.6)))?.status).toBe(429)
    expect((await there?.guest('PUT', uploads, part(0.3)))?.status).toBe(200)
  } finally {
    for (const { stop } of processes) await stop()
    await database.drop()
  }
})
