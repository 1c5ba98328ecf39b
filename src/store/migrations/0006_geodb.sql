-- Layers whose features stand in a table of another database. Their type, reference system and fields are kept like
-- those of our own, in layer and layer_field; the connection stands in resource_connection.

create table geodb_connection (
  resource_id integer primary key references resource on delete cascade,
  hostname    text not null,
  -- A number or a text, as it was given; null for 5432.
  port        jsonb,
  database    text not null,
  username    text not null,
  -- Sealed with the key of the server.
  password    text not null,
  sslmode     text
);

create table geodb_layer (
  resource_id  integer primary key references layer on delete cascade,
  schema_name  text not null,
  table_name   text not null,
  column_id    text not null,
  column_geom  text not null,
  -- integer or bigint.
  id_type      text not null,
  -- Whether the column may hold other geometry than the layer shows.
  is_mixed     boolean not null,
  -- Whether rows may be without id.
  is_id_null   boolean not null
);

-- The column of a field there, and its type as PostgreSQL writes it.
alter table layer_field add column foreign_name text, add column foreign_type text;
