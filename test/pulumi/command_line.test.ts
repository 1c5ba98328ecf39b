import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { drivers } from '../support/drivers.ts'
import { adminPassword, startTestServer } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isInstalled = spawnSync('pulumi', ['version']).status === 0

test(`the command line of Pulumi ${isInstalled ? 'runs' : 'IS NOT INSTALLED, SO NOTHING RAN FOR'} the stack`, async () => {
  if (!isInstalled) {
    process.stderr.write('pulumi is not on the path: its command line was NOT tested with stacks/local\n')
    expect(isInstalled).toBe(false)
    return
  }
  const home = mkdtempSync(join(tmpdir(), 'landform-pulumi-'))
  const server = await startTestServer(drivers[0] ?? 'postgres')
  // Of a new stack, without a file of its own in the checkout.
  const stack = `test-${process.pid}`
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${home}`,
    PULUMI_CONFIG_PASSPHRASE: 'test',
    LANDFORM_SERVER: server.url,
    LANDFORM_PASSWORD: adminPassword,
    LANDFORM_ALLOW_DELETE: '',
  }
  // Not synchronous: the server is in this process.
  const call = async (...args: string[]) => {
    const child = spawn('pulumi', [...args, '--non-interactive'], { cwd: root, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [status] = (await once(child, 'close')) as [number]
    return { status, text: output }
  }
  const run = async (...args: string[]) => {
    const { status, text } = await call(...args, '--stack', stack)
    expect(status, text).toBe(0)
    return text
  }
  const find = async (keyname: string) => {
    const found = await server.admin('GET', `/api/resource/search/?keyname=${keyname}`)
    const [{ resource }] = await found.json<[{ resource: { id: number; display_name: string } }]>()
    return resource
  }
  try {
    expect((await call('stack', 'init', stack)).status).toBe(0)
    expect(await run('preview')).toMatch(/\+ 10 to create/)
    expect(await run('up', '--yes', '--skip-preview')).toMatch(/\+ 10 created/)
    expect(await run('preview', '--expect-no-changes')).toMatch(/10 unchanged/)
    expect(await run('refresh', '--yes', '--expect-no-changes')).toMatch(/10 unchanged/)

    const countries = await find('countries')
    const path = `/api/resource/${countries.id}`
    await server.admin('PUT', path, { resource: { display_name: 'Lands' } })
    await server.admin('DELETE', `/api/resource/${(await find('world_wfs')).id}`)
    expect(await run('refresh', '--yes')).toMatch(/~ 1 updated\s+- 1 deleted/)
    expect(await run('preview', '--diff')).toContain(`"Lands" => "${countries.display_name}"`)
    expect(await run('up', '--yes', '--skip-preview')).toMatch(/\+ 1 created\s+~ 1 updated/)
    expect((await find('countries')).display_name).toBe(countries.display_name)

    const refused = await call('destroy', '--yes', '--skip-preview', '--stack', stack)
    expect([refused.status === 0, refused.text]).toEqual([
      false,
      expect.stringContaining('landform:allow_delete'),
    ])
    env.LANDFORM_ALLOW_DELETE = 'countries'
    await run('destroy', '--yes', '--skip-preview')
    expect((await server.admin('GET', path)).status).toBe(404)
  } finally {
    await server.stop()
    rmSync(join(root, `Pulumi.${stack}.yaml`), { force: true })
    rmSync(home, { recursive: true })
  }
})
