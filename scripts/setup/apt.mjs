import { run, succeeds } from './run.mjs'

/**
 * Returns the packages of the list that are not installed.
 * @param {string[]} packages
 */
export async function missingPackages(packages) {
  const installed = await Promise.all(packages.map(isInstalled))
  return packages.filter((_, at) => !installed[at])
}

/**
 * Installs Debian packages non-interactively, without recommended packages.
 * @param {string[]} packages
 * @throws {Error} if the system is not Debian or Ubuntu, or without root or passwordless sudo
 */
export async function installPackages(packages) {
  const apt = await findApt(packages.join(' '))
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // A failed update of one source is not fatal: the installation reports missing packages.
  await succeeds(apt[0], [...apt.slice(1), 'update', '-q'], { env })
  const install = ['install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120']
  await run(apt[0], [...apt.slice(1), ...install, ...packages], { env })
}

async function findApt(missing) {
  if (!(await succeeds('apt-get', ['--version'])))
    throw new Error(`install ${missing}, or the equivalent packages of this system`)
  if (process.getuid?.() === 0) return ['apt-get']
  if (await succeeds('sudo', ['-n', 'true']))
    return ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  throw new Error(`install ${missing}: this requires root or passwordless sudo`)
}

async function isInstalled(name) {
  const about = await run('dpkg', ['-s', name]).catch(() => '')
  return /^Status: .* installed$/m.test(about)
}
