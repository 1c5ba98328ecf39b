import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { drivers } from '../support/drivers.ts'
import { readGuide, writeGuide } from '../support/pulumi_guide.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isInstalled = spawnSync('pulumi', ['version']).status === 0

test(`the command line of Pulumi ${isInstalled ? 'runs' : 'IS NOT INSTALLED, SO NOTHING RAN FOR'} the stack`, async () => {
  if (!isInstalled) return tellMissing()
  const server = await startTestServer(drivers[0] ?? 'postgres')
  const stack = await initStack(server, root)
  const { run, call } = stack
  const find = (keyname: string) => findResource(server, keyname)
  try {
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

    const refused = await call('destroy', '--yes', '--skip-preview')
    expect(refused.status, refused.text).not.toBe(0)
    expect(refused.text).toContain('landform:allow_delete')
    stack.env.LANDFORM_ALLOW_DELETE = 'countries'
    await run('destroy', '--yes', '--skip-preview')
    expect((await server.admin('GET', path)).status).toBe(404)
  } finally {
    await server.stop()
    stack.remove()
  }
})

test(`the command line of Pulumi ${isInstalled ? 'prints' : 'IS NOT INSTALLED, SO NOTHING WAS COMPARED WITH'} what the guide shows`, async () => {
  if (!isInstalled) return tellMissing()
  const server = await startTestServer(drivers[0] ?? 'postgres')
  const folder = await writeGuide()
  await writeFile(join(folder, 'Pulumi.yaml'), guideProject)
  const stack = await initStack(server, folder)
  try {
    await stack.run('up', '--yes', '--skip-preview')
    const { id } = await findResource(server, 'roads')
    await server.admin('PUT', `/api/resource/${id}`, { resource: { display_name: 'Streets' } })
    const blocks = [...(await readGuide()).matchAll(/```text\n(\$ [^`]+)```/g)].flatMap(([, block = '']) =>
      block.split(/^\$ /m).slice(1),
    )
    expect(blocks).toHaveLength(4)
    for (const block of blocks) {
      const [command = '', ...lines] = block.trimEnd().split('\n')
      const [, allowed = '', args = ''] = /^(?:LANDFORM_ALLOW_DELETE=(\S+) )?pulumi (.*)$/.exec(command) ?? []
      stack.env.LANDFORM_ALLOW_DELETE = allowed
      const quiet = args.startsWith('preview') ? [] : ['--yes', '--skip-preview']
      const { text } = await stack.call(...args.split(' '), ...quiet)
      const printed = normalize(text).split('\n')
      const missing = lines.map(normalize).filter((line) => !printed.includes(line))
      expect([command, missing, printed]).toEqual([command, [], printed])
    }
  } finally {
    await server.stop()
    stack.remove()
    await rm(folder, { recursive: true })
  }
})

const guideProject = `name: city
runtime: { name: nodejs, options: { typescript: false } }
plugins:
  providers:
    - { name: landform, path: ../../../../plugin }
`

/** Removes from a line what differs between runs: times, ids, the name of the stack. */
const normalize = (line: string) =>
  line
    .replace(/ \(\d+(?:\.\d+)?s\)/g, '')
    .replace(/\[id=\d+\]/g, '[id]')
    .replace(/urn:pulumi:[\w-]+:/g, 'urn:pulumi:dev:')
    .replace(/ +$/gm, '')

function tellMissing(): void {
  process.stderr.write('pulumi is not on the path: its command line was NOT tested\n')
  expect(isInstalled).toBe(false)
}

async function findResource(server: TestServer, keyname: string) {
  const found = await server.admin('GET', `/api/resource/search/?keyname=${keyname}`)
  const [{ resource }] = await found.json<[{ resource: { id: number; display_name: string } }]>()
  return resource
}

/** A new stack of the project in a folder, whose state is in a temporary one. */
async function initStack(server: TestServer, folder: string) {
  const home = mkdtempSync(join(tmpdir(), 'landform-pulumi-'))
  const stack = `test-${process.pid}`
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${home}`,
    PULUMI_CONFIG_PASSPHRASE: 'test',
    PULUMI_SKIP_UPDATE_CHECK: '1',
    LANDFORM_SERVER: server.url,
    LANDFORM_PASSWORD: adminPassword,
    LANDFORM_ALLOW_DELETE: '',
  }
  // Not synchronous: the server is in this process.
  const call = async (...args: string[]) => {
    const child = spawn('pulumi', [...args, '--stack', stack, '--non-interactive', '--color', 'never'], {
      cwd: folder,
      env,
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    const [status] = (await once(child, 'close')) as [number]
    return { status, text }
  }
  const run = async (...args: string[]) => {
    const { status, text } = await call(...args)
    expect(status, text).toBe(0)
    return text
  }
  await run('stack', 'init')
  const remove = () => {
    rmSync(join(folder, `Pulumi.${stack}.yaml`), { force: true })
    rmSync(home, { recursive: true })
  }
  return { env, call, run, remove }
}
