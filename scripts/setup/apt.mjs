import { run, succeeds } from './run.mjs'

/**
 * The packages of the list that dpkg does not know as installed.
 * @param {string[]} packages
 */
export async function missingPackages(packages) {
  const installed = await Promise.all(packages.map(isInstalled))
  return packages.filter((_, at) => !installed[at])
}

/**
 * Installs Debian packages, without a question and without what they merely recommend.
 * @param {string[]} packages
 * @throws {Error} when this is not Debian or Ubuntu, or neither root nor sudo without a password
 */
export async function installPackages(packages) {
  const apt = await findApt(packages.join(' '))
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // One source of many that does not answer is no reason to give up: the install tells what is really missing.
  await succeeds(apt[0], [...apt.slice(1), 'update', '-q'], { env })
  const install = ['install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120']
  await run(apt[0], [...apt.slice(1), ...install, ...packages], { env })
}

async function findApt(missing) {
  if (!(await succeeds('apt-get', ['--version'])))
    throw new Error(`please install ${missing}, or what this system calls it`)
  if (process.getuid?.() === 0) return ['apt-get']
  if (await succeeds('sudo', ['-n', 'true']))
    return ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  throw new Error(`please install ${missing}: that takes root, or sudo without a password`)
}

async function isInstalled(name) {
  const about = await run('dpkg', ['-s', name]).catch(() => '')
  return /^Status: .* installed$/m.test(about)
}
