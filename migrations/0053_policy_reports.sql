-- An automatic yes is told of in its channel once its day is over.
alter table approvals add column reported_at timestamptz;
create index approvals_to_report on approvals (decided_at) where reported_at is null and decided_by ->> 'kind' = 'policy';
