import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ErrorBody } from '../../src/contract/error.ts'
import type { Upload } from '../../src/contract/resource.ts'
import type { Caller } from '../../src/server/caller.ts'
import { checkGuestRoom, withinGuestRoom } from '../../src/server/guest_room.ts'
import { describeServers, type TestResponse, type TestServer } from '../support/server.ts'
import { openTus, uploads } from '../support/tus.ts'

const failureOf = async (answer: TestResponse) => [answer.status, (await answer.json<ErrorBody>()).code]
const full = [429, 'upload/guests']

/** Everything that a guest could send more with. */
async function sendAll({ guest }: TestServer, begun: string): Promise<TestResponse[]> {
  const form = new FormData()
  form.append('file', new Blob(['more']), 'more.txt')
  return [
    await guest('PUT', uploads, 'more'),
    await guest('POST', uploads, form),
    await openTus(guest).send('POST', uploads, { 'upload-length': '1' }),
    await openTus(guest).append(begun, 0, 'x'),
  ]
}

describeServers(
  'guests who upload',
  (start) => {
    test.each([
      ['bytes', 'update upload set size_bytes = 4000000 where id = $1'],
      [
        'uploads',
        `insert into upload (id, digest, size_bytes, user_id)
         select 'filler' || n, digest, 0, user_id from upload, generate_series(1, 10000) n where id = $1`,
      ],
    ])('have so many %s within a day, and no more', async (_, fill) => {
      const server = await start()
      const begun = await openTus(server.guest).begin({ length: 4 })
      const { id } = await (await server.guest('PUT', uploads, 'first')).json<Upload>()
      await server.database.query(fill, [id])
      for (const answer of await sendAll(server, begun)) expect(await failureOf(answer)).toEqual(full)
      expect((await server.admin('PUT', uploads, 'of a user')).status).toBe(200)
      await server.database.query("delete from upload where id = $1 or id like 'filler%'", [id])
      for (const answer of await sendAll(server, begun)) expect(answer.ok).toBe(true)
    })

    test('have what they are still sending counted with the rest', async () => {
      const { running, database } = await start()
      const [guest] = await database.query<Caller>(
        `select id, true as "isGuest" from principal where keyname = 'guest'`,
      )
      if (guest === undefined) throw new Error('there is no guest')
      const sender = { context: running.context, caller: guest }
      const sending = withinGuestRoom(sender, Readable.from(Array(5).fill(Buffer.alloc(1_000_000))))
      for (let sent = 0; sent < 5; sent += 1) await sending.next()
      await expect(checkGuestRoom(sender)).rejects.toMatchObject({ code: 'upload/guests' })
      await sending.return(undefined)
      await checkGuestRoom(sender)
    })
  },
  { uploadLimitBytes: 1_000_000 },
)
