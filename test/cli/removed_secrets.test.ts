import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describeServer('the authentication of a connection', (start) => {
  let server: TestServer
  let cwd: string
  const run = (words: string) => {
    const env = { ...administratorEnv(server.url), WMS_PASSWORD: 'sesame' }
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
