import { spawnSync } from 'node:child_process'
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
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${home}`,
    PULUMI_CONFIG_PASSPHRASE: 'test',
    LANDFORM_SERVER: server.url,
    LANDFORM_PASSWORD: adminPassword,
  }
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('pulumi', args, { cwd: root, env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, expect.any(String)])
    return stdout
  }
  try {
    run('stack', 'init', 'test')
    run('up', '--yes', '--skip-preview')
    expect(run('preview', '--expect-no-changes')).toContain('unchanged')
  } finally {
    await server.stop()
    rmSync(home, { recursive: true })
  }
})
