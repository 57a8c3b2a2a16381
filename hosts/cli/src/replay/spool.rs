//! Blocks on their way to the page: packed, deflated and kept in a file until it is written.

use std::{
    fs::File,
    io::{BufWriter, Read, Write},
};

use serde::Serialize;

use super::{bytes::deflated, packer::Packer};
use crate::{failure::Failure, output::Folder};

/// Where blocks wait until the page is written.
const NAME: &str = "replay.blocks";

/// A block as the page finds it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BlockEntry {
    /// Step of its first frame.
    pub step: u64,
    /// Steps between two frames.
    pub every: u64,
    /// Frames.
    pub frames: usize,
    /// Most people in a frame.
    pub people: usize,
    /// Packed bytes.
    pub bytes: usize,
}

/// Blocks as they are filled.
#[derive(Debug)]
pub struct Spool {
    /// The block at hand.
    pub packer: Packer,
    folder: Folder,
    file: BufWriter<File>,
    dt: f64,
    begun: Option<(u64, u64, usize)>,
    blocks: Vec<BlockEntry>,
    written: u64,
}

/// Blocks that are all there.
#[derive(Debug)]
pub struct Spooled {
    /// The table of them.
    pub blocks: Vec<BlockEntry>,
    folder: Folder,
}

impl Spool {
    /// Begins the file of blocks, of a simulation with steps of so many seconds.
    pub fn new(folder: &Folder, heights: bool, dt: f64) -> Result<Spool, Failure> {
        Ok(Spool {
            packer: Packer::new(heights),
            folder: folder.clone(),
            file: folder.open(NAME)?,
            dt,
            begun: None,
            blocks: Vec::new(),
            written: 0,
        })
    }

    /// Ends a frame of so many people, taken at a step, the next one `every` steps later. Gives
    /// the bytes written so far if that ended a block.
    pub fn end_frame(
        &mut self,
        step: u64,
        every: u64,
        people: usize,
    ) -> Result<Option<u64>, Failure> {
        self.packer.end_frame();
        let (_, _, most) = self.begun.get_or_insert((step, every, 0));
        *most = people.max(*most);
        if !self.packer.is_full() {
            return Ok(None);
        }
        self.close_block()?;
        Ok(Some(self.written))
    }

    fn close_block(&mut self) -> Result<(), Failure> {
        let Some((step, every, people)) = self.begun.take() else {
            return Ok(());
        };
        let frames = self.packer.frames();
        let bytes = deflated(&self.packer.close(every as f64 * self.dt));
        self.file
            .write_all(&bytes)
            .map_err(|e| self.folder.failed(NAME, e))?;
        self.written += bytes.len() as u64;
        self.blocks.push(BlockEntry {
            step,
            every,
            frames,
            people,
            bytes: bytes.len(),
        });
        Ok(())
    }

    /// Ends the last block.
    pub fn finish(mut self) -> Result<Spooled, Failure> {
        self.close_block()?;
        let done = self.file.flush();
        done.map_err(|e| self.folder.failed(NAME, e))?;
        Ok(Spooled {
            blocks: self.blocks,
            folder: self.folder,
        })
    }
}

impl Spooled {
    /// Gives the packed blocks one after another, and takes their file away.
    pub fn each(&self, mut take: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        let failed = |e| self.folder.failed(NAME, e);
        let mut file = File::open(self.folder.part(NAME)).map_err(failed)?;
        let mut bytes = Vec::new();
        for block in &self.blocks {
            bytes.resize(block.bytes, 0);
            file.read_exact(&mut bytes).map_err(failed)?;
            take(&bytes)?;
        }
        self.folder.abandon(NAME);
        Ok(())
    }
}
