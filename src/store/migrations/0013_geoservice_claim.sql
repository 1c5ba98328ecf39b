-- Services that a run of checks is about to check: several processes share the work, and none is checked twice.
create table geoservice_claim (
  geoservice_id integer primary key references geoservice on delete cascade,
  run           text not null,
  -- Renewed while the run lasts; in the past if its process was killed.
  claimed_until timestamp not null
);
create index geoservice_claim_run on geoservice_claim (run);
