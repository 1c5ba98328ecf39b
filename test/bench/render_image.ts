/** Draws an image of 2048 × 2048 pixels of regions and cities with labels, on both databases. */
import { besidePostgres, promisedBeside } from './support/beside_postgres.ts'
import { measureOnBoth, type World } from './support/both.ts'
import { watchDatabase } from './support/database_cpu.ts'
import { createClients } from './support/load_client.ts'
import { median, report, timed } from './support/report.ts'
import { createStyles } from './support/styled_world.ts'

const promisedSeconds = 1
const rounds = 5

/** Europe and the north of Africa, which have many cities. */
const view = 'cache=false&size=2048,2048&extent=-2000000,4000000,4000000,10000000'

const clients = createClients(1)

async function measure(world: World): Promise<void> {
  const named = await createStyles(world, { labels: true })
  const plain = await createStyles(world)
  for (const [name, { regions, cities }] of [
    ['with labels', named],
    ['without labels', plain],
  ] as const)
    await measureImage(world, { name, resources: `${regions},${cities}` })
}

async function measureImage(
  { driver, restart, databaseUrl }: World,
  { name, resources }: { readonly name: string; readonly resources: string },
): Promise<void> {
  const server = await restart()
  const draw = () => clients.get(`${server.url}/api/component/render/image?resource=${resources}&${view}`)
  const bytes = await draw()
  const databaseCpu = await watchDatabase(databaseUrl)
  const cpu = async () => (await server.cpuSeconds()) + databaseCpu()
  const [seconds, cpuSeconds]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const before = await cpu()
    seconds.push((await timed(draw)).seconds)
    cpuSeconds.push((await cpu()) - before)
  }
  const megabytes = (await server.peakMemory()) / 1e6
  const beside = besidePostgres(driver, name, median(cpuSeconds))
  report({
    name: `image of 2048 × 2048 of both layers ${name}, ${driver}`,
    value: `${median(seconds).toFixed(2)} s, ${median(cpuSeconds).toFixed(2)} CPU-s, ${Math.round(bytes / 1000)} kB, ${Math.round(megabytes)} MB`,
    ...(beside.ratio === undefined ? {} : { ratio: beside.ratio }),
    promised: driver === 'postgres' ? `< ${promisedSeconds} s` : promisedBeside,
    isKept: driver === 'postgres' ? median(seconds) < promisedSeconds : beside.isWithin,
  })
}

try {
  await measureOnBoth(measure)
} finally {
  clients.close()
}
