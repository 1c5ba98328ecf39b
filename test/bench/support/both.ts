import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../../support/cluster.ts'
import { execute, withDatabase } from '../../support/sql.ts'
import { writeCities } from './cities.ts'
import { type BenchServer, startServer } from './running.ts'
import type { ServerOrder } from './server.ts'
import { importWorld, type WorldLayers, type WorldOrder } from './world.ts'

/** The databases a server runs on. */
export type Driver = 'pglite' | 'postgres'

/** A server that has just imported the regions and the cities of the world. */
export interface World {
  readonly driver: Driver
  /** Address of the PostgreSQL database. */
  readonly databaseUrl?: string | undefined
  /** Folder of the server, where the bench may write. */
  readonly folder: string
  readonly layers: WorldLayers
  readonly server: BenchServer
  /** Ends the server, and gives another on the same data, which knows nothing yet. */
  restart(): Promise<BenchServer>
}

/** Measures a server with the world in it, on PostgreSQL and then on the embedded database. */
export function measureOnBoth(
  measure: (world: World) => Promise<void>,
  { fields = 'all' }: Partial<Pick<WorldOrder, 'fields'>> = {},
): Promise<void> {
  return withOrders(async (orders, folder) => {
    const { gpkg } = await writeCities(folder)
    for (const driver of drivers) await measureOn(driver, orders[driver], { cities: gpkg, fields, measure })
  })
}

/** Measures an empty server, on PostgreSQL and then on the embedded database. */
export function measureEmpty(measure: (server: BenchServer, driver: Driver) => Promise<void>): Promise<void> {
  return withOrders(async (orders) => {
    for (const driver of drivers) {
      const server = await startServer(orders[driver])
      await measure(server, driver)
      await server.stop()
    }
  })
}

const drivers = ['postgres', 'pglite'] as const

/** Lets a bench start its servers itself, with PostgreSQL and then with the embedded database. */
export function measureOrders(
  measure: (order: ServerOrder, driver: Driver, folder: string) => Promise<void>,
): Promise<void> {
  return withOrders(async (orders, folder) => {
    for (const driver of drivers) await measure(orders[driver], driver, folder)
  })
}

type Orders = Readonly<Record<Driver, ServerOrder>>

/** Provides a database for each driver, and a folder. */
async function withOrders(work: (orders: Orders, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
  const cluster = await startCluster()
  try {
    await execute(cluster.url, 'create database world')
    // The server turns it off for its sessions: peers would spend most of their time on compilation.
    await execute(cluster.url, 'alter database world set jit = off')
    const databaseUrl = withDatabase(cluster.url, 'world')
    const orders = {
      postgres: { dataFolder: join(folder, 'postgres'), databaseUrl },
      pglite: { dataFolder: join(folder, 'pglite') },
    }
    await work(orders, folder)
  } finally {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureOn(
  driver: Driver,
  order: ServerOrder,
  { measure, ...source }: Omit<WorldOrder, 'folder'> & { readonly measure: (world: World) => Promise<void> },
): Promise<void> {
  const first = await startServer(order)
  let running = first
  const layers = await importWorld(first, { folder: order.dataFolder, ...source })
  const restart = async () => {
    await running.stop()
    running = await startServer(order)
    return running
  }
  const { databaseUrl, dataFolder: folder } = order
  await measure({ driver, databaseUrl, folder, layers, server: first, restart })
  await running.stop()
}
