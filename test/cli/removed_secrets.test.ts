import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describeServer('the authentication of a connection', (start) => {
  let server: TestServer
  let cwd: string
  const run = (words: string, more: Readonly<Record<string, string>> = {}) => {
    const env = { ...administratorEnv(server.url), WMS_PASSWORD: 'sesame', ...more }
    return runCommand(words.split(' '), { cwd, env })
  }
  const write = (account: string) =>
    writeFile(
      join(cwd, 'wms.yaml'),
      `manifest: wms
resources:
  root: { existing: true, id: 0 }
  service:
    cls: wmsclient_connection
    parent: root
    display_name: Service
    wmsclient_connection: { url: "https://maps.example/wms", version: 1.3.0${account} }
`,
    )

  beforeAll(async () => {
    server = await start()
    cwd = await mkdtemp(join(tmpdir(), 'landform-secrets-'))
  })
  afterAll(() => rm(cwd, { recursive: true, force: true }))

  test('is removed where the manifest no longer sets it', async () => {
    const account = (name: string) => `, username: ${name}, password: "\${env.WMS_PASSWORD}"`
    await write(account('bob'))
    expect((await run('apply wms.yaml --yes')).exit).toBe(0)
    await write(', username: bob')
    expect((await run('plan wms.yaml')).out).toContain('wmsclient_connection.password  (secret) → null')
    await write('')
    const applied = await run('apply wms.yaml --yes')
    expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('1 updated')])
    expect((await run('plan wms.yaml')).out).toContain('0 changes')
    await write(account('eve'))
    expect((await run('apply wms.yaml --yes')).exit).toBe(0)
    expect((await run('plan wms.yaml')).out).toContain('0 changes')
    await write(', username: eve, password: null')
    expect((await run('plan wms.yaml')).out).toContain('wmsclient_connection.password  (secret) → null')
    expect((await run('apply wms.yaml --yes')).exit).toBe(0)
    expect((await run('plan wms.yaml')).out).toBe('Plan for wms: 0 changes, 2 unchanged.\n')
  })

  const lastEntry = async () => {
    const [line = ''] = (await run('history --limit 1 --json')).out.trim().split('\n')
    return (JSON.parse(line) as { readonly entry: { readonly id: number } }).entry.id
  }

  test('is sent by undo together with the former address, from an environment variable', async () => {
    const writeDatabase = (resource: string) =>
      writeFile(
        join(cwd, 'database.yaml'),
        `manifest: database\nresources:\n  root: { existing: true, id: 0 }\n${resource}`,
      )
    const databaseAt = (host: string) => `  towns_database:
    cls: geodb_connection
    parent: root
    display_name: Database
    geodb_connection: { hostname: ${host}, database: d, username: u, password: "\${env.WMS_PASSWORD}" }
`
    for (const host of ['one.example', 'two.example']) {
      await writeDatabase(databaseAt(host))
      expect((await run('apply database.yaml --yes')).exit).toBe(0)
    }
    const entry = await lastEntry()
    const refused = await run(`undo ${entry} --yes`)
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringContaining(
        `error undo/secret: undo of apply ${entry} changes geodb_connection.hostname of "towns_database" only together with geodb_connection.password`,
      ),
    ])
    expect(refused.err).toContain(
      'Set TOWNS_DATABASE_PASSWORD to the password for the former address, or apply',
    )
    const sent = { TOWNS_DATABASE_PASSWORD: 'former' }
    const undone = await run(`undo ${entry} --yes`, sent)
    expect([undone.exit, undone.err]).toEqual([0, expect.not.stringContaining('undo/secret')])
    expect(undone.out).toContain('geodb_connection.password  (secret)')
    expect(undone.out + undone.err).not.toContain('former"')
    expect((await run('plan database.yaml')).out).toContain('"one.example" → "two.example"')

    await writeDatabase('')
    expect((await run('apply database.yaml --yes --prune --allow-delete towns_database')).exit).toBe(0)
    const deletion = await lastEntry()
    expect((await run(`undo ${deletion} --yes`)).err).toContain(
      'error undo/secret: "towns_database" cannot be created again without geodb_connection.password',
    )
    expect((await run(`undo ${deletion} --yes`, sent)).out).toContain('1 created')
  })

  test('is removed by undo together with the address that an apply has set with it', async () => {
    const at = (address: string, more: string) =>
      writeFile(
        join(cwd, 'maps.yaml'),
        `manifest: maps
resources:
  root: { existing: true, id: 0 }
  maps:
    cls: wmsclient_connection
    parent: root
    display_name: Maps
    wmsclient_connection: { url: "https://${address}/wms", version: 1.3.0${more} }
`,
      )
    await at('open.example', '')
    expect((await run('apply maps.yaml --yes')).exit).toBe(0)
    await at('closed.example', ', username: bob, password: "${env.WMS_PASSWORD}"')
    expect((await run('apply maps.yaml --yes')).exit).toBe(0)
    const undone = await run(`undo ${await lastEntry()} --yes`)
    expect([undone.exit, undone.err]).toEqual([0, expect.not.stringContaining('undo/secret')])
    await at('open.example', '')
    expect((await run('plan maps.yaml')).out).toContain('0 changes')
  })

  test('is not compared, which plans say with how to send it again', async () => {
    await write(', username: eve, password: "${env.WMS_PASSWORD}"')
    const told = 'The secret of service is not compared, since servers do not return secrets.'
    const created = await run('plan wms.yaml')
    expect(created.out).toContain('wmsclient_connection.password  (secret)')
    expect(created.out).not.toContain('not compared')
    expect((await run('apply wms.yaml --yes')).exit).toBe(0)
    const planned = await run('plan wms.yaml')
    expect(planned.out).toContain(`0 changes, 2 unchanged.\n${told} After a change: --send-secrets service.`)
    expect((await run('plan wms.yaml --markdown')).out).toContain(told)
    const events = (await run('plan wms.yaml --json')).out.trim().split('\n')
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
      uncompared_secrets: [{ key: 'service', field: 'wmsclient_connection.password' }],
    })
    const sent = await run('plan wms.yaml --send-secrets service')
    expect(sent.out).toContain('1 to update')
    expect(sent.out).not.toContain('not compared')
  })
})
