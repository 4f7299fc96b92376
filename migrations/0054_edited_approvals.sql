-- An approver may change the input before somebody says yes. The call keeps what the model gave; this is sent in its place.
alter table approvals
  add column edits int not null default 0,
  add column edited_input text,
  add column edited_by json,
  add column edited_at timestamptz;
